"""Pages that watch what is played: where one of them falls silent, players hold."""

from __future__ import annotations

import threading
from collections.abc import Iterable

from armlab.cell.outbox import Outbox
from armlab.cell.player import Player
from armlab.messages import Message, _

SILENCE_S = 1.0
"""A page that watches sends a beat four times a second; after this much silence its connection counts as lost."""
HELD = Message("held_unwatched", _("paused: the connection to a page that watches was lost"))


class Watchdog:
    """The pages that watch, and when each was last heard; heard from any thread, asked by the session's."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._heard: dict[Outbox, float] = {}

    def hear(self, page: Outbox, now: float, *, on: bool) -> None:
        """Take a beat of a page at a time (s); off: it watches no longer."""
        with self._lock:
            if on:
                self._heard[page] = now
            else:
                self._heard.pop(page, None)

    def forget(self, page: Outbox) -> bool:
        """Forget a page that is gone; return whether it watched."""
        with self._lock:
            return self._heard.pop(page, None) is not None

    def lost(self, now: float) -> bool:
        """Tell, once for each, whether a page that watches is silent at a time (s)."""
        with self._lock:
            silent = [page for page, heard in self._heard.items() if now - heard > SILENCE_S]
            for page in silent:
                del self._heard[page]
        return bool(silent)


def hold_players(players: Iterable[Player | None]) -> bool:
    """Pause what is played, each on its path; return whether there was anything."""
    playing = [player for player in players if player is not None and not (player.is_paused or player.is_over)]
    for player in playing:
        player.is_paused = True
    return bool(playing)
