"""The screens that lie over the conversation: help, the pager, the command palette's contents."""
