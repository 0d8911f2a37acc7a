// Sends the token in WISP_TOKEN with every request of a program that knows of no tokens, by whichever way it asks.
import { Agent, setGlobalDispatcher } from "undici";

const token = ["authorization", `Bearer ${process.env.WISP_TOKEN}`];

const withToken = (headers) => {
  if (Array.isArray(headers)) return [...headers, ...token];
  const pairs = headers?.[Symbol.iterator] ? [...headers] : Object.entries(headers ?? {});
  return Object.fromEntries([...pairs, token]);
};

const letIn = (dispatch) => (options, handler) =>
  dispatch({ ...options, headers: withToken(options.headers) }, handler);

setGlobalDispatcher(new Agent().compose(letIn));
