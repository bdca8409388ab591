"""An arm in a process of its own, behind pipes, with the habits of bad hardware; and the plant over it.

Run as a program it is the arm: it reads lines {"time", "goal"} and answers {"number", "time", "q"}, one for each.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import subprocess
import sys
from collections import deque
from collections.abc import Mapping
from typing import Any, NoReturn

import numpy as np
from numpy.typing import ArrayLike

from armlab.arrays import Floats, as_floats
from armlab.errors import InvalidInput, NotSupported, UnknownName
from armlab.messages import Message
from armlab.model.finding import Finding
from armlab.model.robot import Robot
from armlab.sim.plant import ACCEPTED, ArmSamples, ArmState, Outcome, Qualities, Signal, cannot_go_back, not_simulated

SILENT = 0.2
"""s without a word after which an arm counts as lost."""


def run_arm(start: list[float], habits: dict[str, float]) -> None:
    """Move half of what is left towards the goal each time, and answer as the habits say."""
    q, late = start, deque[dict[str, Any]]()
    for number, line in enumerate(sys.stdin, start=1):
        told = json.loads(line)
        if told["time"] >= habits.get("dies", 1e9) - 1e-9:
            os._exit(3)
        if told["goal"] is not None:
            q = [a + (b - a) / 2.0 for a, b in zip(q, told["goal"], strict=True)]
        answer = {"number": number, "time": told["time"], "q": q}
        if number == habits.get("nan", -1):
            answer["q"] = [float("nan")] * len(q)
        late.append(answer)
        while late and late[0]["time"] <= told["time"] - habits.get("late", 0.0) + 1e-9:
            out = late.popleft()
            if not ("drops" in habits and out["number"] % habits["drops"] == 0):
                sys.stdout.write(json.dumps(out) + "\n")
        sys.stdout.flush()


class ToyPlant:
    """A plant over one such arm: it sends what it is told, and never waits for an answer."""

    period = 0.01

    def __init__(self, robot: Robot, habits: Mapping[str, float] | None = None) -> None:
        self.robot, self.time, self.findings = robot, 0.0, list[Finding]()
        command = [sys.executable, __file__, json.dumps([robot.home.tolist(), dict(habits or {})])]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert self.process.stdout is not None
        os.set_blocking(self.process.stdout.fileno(), False)
        self._goal: Floats | None = None
        self._before = self._last = (0.0, robot.home)
        self._number, self._buffer, self._is_heard = 0, b"", False
        self._new: list[tuple[float, Floats]] = []

    @property
    def arms(self) -> tuple[str, ...]:
        return (self.robot.name,)

    @property
    def age(self) -> float:
        return self.time - self._last[0]

    def command(self, arm: str, q: ArrayLike, qd: ArrayLike | None = None) -> Outcome:  # noqa: ARG002
        self._check(arm)
        try:
            goal = as_floats(q, (self.robot.dof,), f"{arm}: q")
        except InvalidInput as error:
            return Outcome("refused", Finding("error", error.message))
        self._goal = np.clip(goal, self.robot.lower, self.robot.upper)
        if self.process.poll() is not None:
            return Outcome("not_followed", self._finding("arm_gone", "{arm}: the arm's process has ended", arm=arm))
        if self.age > SILENT:
            text = "{arm}: nothing was heard of the arm for {age:.2f} s"
            return Outcome("not_followed", self._finding("arm_silent", text, arm=arm, age=self.age))
        cut = np.abs(goal - self._goal)
        if cut.max() > 0.0:
            text = "{arm}: clipped"
            return Outcome("clipped", self._finding("arm_clipped", text, arm=arm), np.array([cut, 0.0 * cut]))
        return ACCEPTED

    def step(self, seconds: float) -> None:
        self._new = []
        for _period in range(round(seconds / self.period)):
            self.time += self.period
            self._send({"time": self.time, "goal": None if self._goal is None else self._goal.tolist()})
        self.poll()

    def _send(self, told: dict[str, Any]) -> None:
        assert self.process.stdin is not None
        try:
            self.process.stdin.write(json.dumps(told).encode() + b"\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            self._tell("arm_gone", "{arm}: the arm's process has ended", arm=self.robot.name)

    def poll(self) -> None:
        """Take what has come, if anything has."""
        assert self.process.stdout is not None
        self._buffer += os.read(self.process.stdout.fileno(), 1 << 16) if self._is_readable() else b""
        *lines, self._buffer = self._buffer.split(b"\n")
        for line in lines:
            self._take(json.loads(line))

    def _is_readable(self) -> bool:
        assert self.process.stdout is not None
        return bool(select.select([self.process.stdout], [], [], 0.0)[0])

    def _take(self, answer: dict[str, Any]) -> None:
        q = np.array(answer["q"])
        missed, self._number = answer["number"] - self._number - 1, answer["number"]
        if missed > 0:
            self._tell("samples_lost", "{arm}: samples were lost", arm=self.robot.name)
        if not np.isfinite(q).all():
            self._tell("sample_not_finite", "{arm}: a sample is not a number", arm=self.robot.name)
            return
        self._before, self._last, self._is_heard = self._last, (answer["time"], q), True
        self._new.append(self._last)

    def state(self, arm: str) -> ArmState:
        self._check(arm)
        n, (t, q), (t_before, q_before) = self.robot.dof, self._last, self._before
        speed = (q - q_before) / (t - t_before) if t > t_before else np.zeros(n)
        heard = Qualities.all_of("measured", n, with_tau=False)._replace(qd=Qualities.all_of("estimated", n).qd)
        quality = heard if self._is_heard else Qualities.all_of("commanded", n, with_tau=False)
        return ArmState(t, q, speed, np.zeros(n), None, self.robot.frames(q), quality)

    def samples(self, arm: str) -> ArmSamples:
        self._check(arm)
        q = np.array([q for _t, q in self._new]).reshape(-1, self.robot.dof)
        times = np.array([t for t, _q in self._new])
        return ArmSamples(times, q, np.zeros_like(q), None, np.zeros(len(q)))

    bodies: Mapping[str, Floats] = {}
    inputs: Mapping[str, Signal] = {}
    outputs: Mapping[str, Signal] = {}

    def grip(self, arm: str, body: str | None = None) -> NoReturn:
        raise NotSupported("toy_without_gripper", "{arm}: {body}: no gripper", arm=arm, body=body)

    def release(self, arm: str) -> tuple[str, ...]:
        self._check(arm)
        return ()

    def set_output(self, name: str, value: Signal) -> NoReturn:
        raise NotSupported("toy_without_outputs", "{name}={value}: no outputs", name=name, value=value)

    def halt(self) -> None:
        self._goal = self._last[1]

    def snapshot(self) -> NoReturn:
        raise cannot_go_back(self.robot.name)

    def restore(self, snapshot: object) -> NoReturn:
        del snapshot
        raise cannot_go_back(self.robot.name)

    def measure(self) -> NoReturn:
        raise not_simulated(self.robot.name)

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout):
            assert pipe is not None
            with contextlib.suppress(BrokenPipeError):
                pipe.close()

    def _check(self, arm: str) -> None:
        if arm != self.robot.name:
            raise UnknownName("simulated_robot", arm, self.arms)

    def _finding(self, code: str, text: str, **facts: Any) -> Finding:
        return Finding("error", Message(code, text, **facts))

    def _tell(self, code: str, text: str, **facts: Any) -> None:
        """Say it once, however often it happens."""
        if code not in {finding.code for finding in self.findings}:
            self.findings.append(self._finding(code, text, **facts))


if __name__ == "__main__":
    run_arm(*json.loads(sys.argv[1]))
