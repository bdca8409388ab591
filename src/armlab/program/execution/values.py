"""Outputs and variables of a program at a time of it."""

from __future__ import annotations

from dataclasses import dataclass, field

from armlab.program.executor.pieces import Event
from armlab.program.executor.state import ExecutorState
from armlab.program.instructions import Mark, SetOutput
from armlab.program.signals import Value


@dataclass(slots=True)
class ProgramValues:
    """Outputs and variables, by the names that the language gives them."""

    outputs: dict[str, Value] = field(default_factory=dict)
    variables: dict[str, Value] = field(default_factory=dict)

    @classmethod
    def of(cls, state: ExecutorState) -> ProgramValues:
        """Return those that a saved state tells."""
        return cls(dict(state.outputs), dict(state.variables))

    def copy(self) -> ProgramValues:
        """Return the same, to be changed."""
        return ProgramValues(dict(self.outputs), dict(self.variables))

    def take(self, event: Event) -> None:
        """Change what an event changes."""
        match event.instruction:
            case SetOutput(name=name, value=value):
                self.outputs[name] = value
            case Mark(changes=changes):
                for name, changed in changes:
                    if changed is None:
                        self.variables.pop(name, None)
                    else:
                        self.variables[name] = changed
            case _:
                pass
