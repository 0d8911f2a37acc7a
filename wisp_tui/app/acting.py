"""What the keys that work everywhere do. The app below it holds the conversation."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, ClassVar

from textual.binding import BindingType
from textual.command import Provider

from wisp_tui.app.actions import Place, bindings
from wisp_tui.app.base import BaseApp
from wisp_tui.app.keyboard import Keyboard

if TYPE_CHECKING:
    from wisp_tui.app.pager.paged import Paged
    from wisp_tui.app.screens.talk import TalkScreen
    from wisp_tui.app.widgets.contextpanel import ContextPanel
    from wisp_tui.app.widgets.findbar import FindBar
    from wisp_tui.session.items import CallItem
    from wisp_tui.session.outputs import ShownOutput

AGAIN_SECONDS = 2.0
"""Seconds within which ctrl-c is pressed again to leave."""
_ALWAYS = frozenset({"leave", "interrupt", "theme", "quit"})
"""Actions that need no conversation."""


def _palette() -> type[Provider]:
    from wisp_tui.app.screens.palette import PaletteProvider

    return PaletteProvider


class ActingApp(BaseApp):
    """An app with the actions of our registry. ``main`` is the conversation's screen, None before it is open."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings(Place.ANYWHERE)]
    COMMANDS: ClassVar[set[type[Provider] | Callable[[], type[Provider]]]] = {_palette}

    def __init__(self, environment: Mapping[str, str], theme: str, clock: Callable[[], float]) -> None:
        super().__init__(environment, theme)
        self.keyboard = Keyboard(clock)
        self.opened: TalkScreen | None = None
        self._interrupted_at = float("-inf")

    @property
    def main(self) -> TalkScreen:
        """The conversation's screen; there is one from when the session is open."""
        if self.opened is None:
            raise RuntimeError("the conversation is not open yet")
        return self.opened

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Leave alone what needs a conversation before there is one."""
        del parameters
        return self.opened is not None or action in _ALWAYS or not hasattr(ActingApp, f"action_{action}")

    def action_stop(self) -> None:
        """Leave what is offered, decline what the model asks, else end the running turn."""
        if self.main.put_off() is None and not self.main.decline():
            self.main.thread.cancel()

    def action_interrupt(self) -> None:
        """Copy, refuse, clear, stop or leave: the first that there is something for."""
        if selected := self.selected_text():
            self.copy_to_clipboard(selected)
            self.screen.clear_selection()
        elif self.opened is None:
            self._leave_on_second_press()
        elif self.main.approval is not None:
            self.main.refuse()
        elif self.screen is self.main and self.main.prompt.text:
            self.main.prompt.clear()
        elif not self.main.decline() and not self.main.thread.cancel():
            self._leave_on_second_press()

    def _leave_on_second_press(self) -> None:
        now = self.keyboard.clock()
        if now - self._interrupted_at <= AGAIN_SECONDS:
            self.leave()
            return
        self._interrupted_at = now
        self.notify("press ctrl-c again to leave", timeout=AGAIN_SECONDS)

    def selected_text(self) -> str:
        """Return what is selected, in the prompt or on the screen."""
        written = self.main.prompt.selected_text if self.screen is self.opened else ""
        return written or self.screen.get_selected_text() or ""

    def action_scroll(self, where: str) -> None:
        """Scroll the conversation, whatever is focused; a question that has no room, before it."""
        if self.main.question is not None and self.main.question.look(where):
            return
        conversation = self.main.conversation
        match where:
            case "page_up":
                conversation.scroll_page_up(animate=False)
            case "page_down":
                conversation.scroll_page_down(animate=False)
            case "home":
                conversation.scroll_home(animate=False)
            case _:
                conversation.follow()

    def action_context(self) -> None:
        """Show or hide the context panel."""
        self.main.toggle_context()

    def action_facts(self, listing: str) -> None:
        """Show or hide a list of the facts panel."""
        from wisp_tui.app.kept.saying import Listing

        self.main.toggle_facts(Listing(listing))

    def action_sessions(self) -> None:
        """Show or hide the saved conversations."""
        from wisp_tui.app.screens.sessions import SessionsScreen

        if isinstance(self.screen, SessionsScreen):
            self.screen.dismiss(None)
        else:
            self.push_screen(SessionsScreen(self.main.thread), self._go_on)

    def on_find_bar_everywhere(self, message: FindBar.Everywhere) -> None:
        """Look for the words of a search in all saved conversations."""
        from wisp_tui.app.screens.sessions import SessionsScreen

        message.stop()
        self.push_screen(SessionsScreen(self.main.thread, words=message.words), self._go_on)

    def _go_on(self, said: tuple[str, ...] | None) -> None:
        """Show the conversation that was gone on with, and what is to be said of it; None for none."""
        if said is not None:
            self.main.clear()
            self.main.recall(told=True)
            self.main.show_changes([self.main.transcript.say(line) for line in said])
            self.main.measure()

    def action_find(self) -> None:
        """Find words in the conversation."""
        if self.screen is self.main:
            self.main.find_words()

    def action_thinking(self) -> None:
        """Unfold or fold the model's thinking."""
        self.main.conversation.unfold(not self.main.conversation.unfolded)
        self.main.find.look_again()

    def action_copy_reply(self) -> None:
        """Copy the last reply as the model wrote it."""
        reply = self.main.transcript.last_reply
        if reply is None:
            self.notify("there is no reply yet")
        else:
            self.copy_to_clipboard(reply.text)

    def action_leave(self) -> None:
        """End the conversation and the app."""
        self.leave()

    def action_help(self) -> None:
        """List the keys and commands."""
        from wisp_tui.app.screens.help import HelpScreen

        self.push_screen(HelpScreen())

    def action_settings(self) -> None:
        """Show the settings, or go back from them."""
        from wisp_tui.app.screens.settings import SettingsScreen

        if isinstance(self.screen, SettingsScreen):
            self.screen.dismiss()
        else:
            self.push_screen(SettingsScreen(self.main.thread))

    def action_pager(self) -> None:
        """Show the whole of the last tool's output."""
        from wisp_tui.app.screens.pager import PagerScreen

        item = self.main.transcript.last_call
        if isinstance(self.screen, PagerScreen):
            self.screen.dismiss()
        elif item is None:
            self.notify("no tool has run yet")
        else:
            self.show_call(item)

    def show_call(self, item: CallItem) -> None:
        """Show the whole output of a call."""
        from wisp_tui.app.pager.paged import Paged
        from wisp_tui.session.outputs import NothingToShow, find_output

        title = item.line.removeprefix("⚙ ")
        try:
            paged = Paged.of_output(find_output(self.main.thread.conversation, item.call), title)
        except NothingToShow:
            paged = Paged.of_text(title, item.output, remark="as the model was shown it")
        self.show_paged(paged)

    def show_output(self, shown: ShownOutput) -> None:
        """Show an entry that was asked for by its number or its id."""
        from wisp_tui.app.panel.opening import entry_page

        held = self.main.thread.conversation
        self.show_paged(entry_page(held, held.record.entry(shown.entry)))

    def on_context_panel_opened(self, message: ContextPanel.Opened) -> None:
        """Show an entry of a context in the pager."""
        from wisp_tui.app.panel.opening import page_of

        held = self.main.thread.conversation
        self.show_paged(page_of(held, message.line.row, message.shown, whole=message.whole))

    def show_paged(self, paged: Paged) -> None:
        """Show something in the pager."""
        from wisp_tui.app.screens.pager import PagerScreen

        self.push_screen(PagerScreen(paged, self.main.thread.conversation.directory))
