// The TypeScript SDK's client: holds a thread at the address it is given and says in JSON what came of it.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import {
  ElicitRequestSchema,
  ResourceListChangedNotificationSchema,
  ResourceUpdatedNotificationSchema,
} from "@modelcontextprotocol/sdk/types.js";

const CONTEXT = "wisp://threads/t/context";
const came = { asked: [], steps: [], listChanged: false };

const client = new Client({ name: "typescript", version: "1" }, { capabilities: { elicitation: {} } });
client.setRequestHandler(ElicitRequestSchema, async (request) => {
  came.asked.push(request.params);
  return { action: "accept", content: { answer: "once" } };
});
client.setNotificationHandler(ResourceListChangedNotificationSchema, () => {
  came.listChanged = true;
});
const told = new Promise((resolve) => {
  client.setNotificationHandler(ResourceUpdatedNotificationSchema, (message) => resolve(message.params.uri));
});

const headers = { Authorization: `Bearer ${process.env.WISP_TOKEN}` };
const transport = new StreamableHTTPClientTransport(new URL(process.argv[2]), { requestInit: { headers } });
await client.connect(transport);
await client.listTools(); // from now on it holds each answer to the schema that its tool declares
await client.subscribeResource({ uri: CONTEXT });
const call = { name: "respond", arguments: { prompt: "do it", thread_id: "t" } };
const result = await client.callTool(call, undefined, { onprogress: (step) => came.steps.push(step.message) });
came.text = result.content[0].text;
came.exitStatus = result.structuredContent.calls[0].exitStatus;
came.told = await told;
await client.unsubscribeResource({ uri: CONTEXT });
came.read = (await client.readResource({ uri: `${CONTEXT}/1` })).contents[0].text;
came.refused = await client.readResource({ uri: "wisp://threads/..%2F..%2Fetc/facts" }).catch((error) => error.message);
await transport.terminateSession();
await client.close();
console.log(JSON.stringify(came));
