"""Processes that play: how they are started, and what Ctrl-C does meanwhile."""

from __future__ import annotations

import signal
import threading

import pytest

from fairground.lab import simulation


def test_ctrl_c_waits_until_all_are_started_whichever_thread_hears_it() -> None:
    go, heard, came_to_the_end = threading.Event(), threading.Event(), False

    def press() -> None:
        go.wait()
        signal.pthread_kill(threading.get_ident(), signal.SIGINT)
        heard.set()

    other = threading.Thread(target=press)
    other.start()  # before anything is held back: it hears everything
    with pytest.raises(KeyboardInterrupt), simulation._held_back():
        go.set()
        assert heard.wait(60)
        other.join()
        came_to_the_end = True
    assert came_to_the_end
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
