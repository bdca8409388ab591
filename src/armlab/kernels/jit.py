"""The decorators of all kernels.

Numba is imported when the first kernel is made, and not at all in a process that interprets its kernels. See
armlab.kernels.code_cache for how machine code is kept.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

Function = TypeVar("Function", bound=Callable[..., Any])

_interprets = False


def interpret() -> None:
    """From here on make kernels plain Python functions: for a process that calls a few of them once and ends.

    The results are the same but for the last bit, and nobody waits for Numba to be imported.
    """
    global _interprets  # noqa: PLW0603 - decided once, by the command line, before kernels are imported
    _interprets = True


def kernel(function: Function) -> Function:
    """Compile `function` on its first call, and keep the machine code on disk; it runs without Python's lock."""
    return _compiled(function, {"nogil": True})


def short_kernel(function: Function) -> Function:
    """Compile `function` like a kernel that keeps Python's lock: handing it over would take longer than the work."""
    return _compiled(function, {})


def inlined(function: Function) -> Function:
    """Compile `function` into each kernel that calls it, so that LLVM can vectorise across the call."""
    return _compiled(function, {"nogil": True, "inline": "always"})


class DirectCall:
    """A kernel that is always called with the same types, without Numba's look at each argument (0.15 µs per call).

    `call` trusts its arguments: whoever uses it has checked dtype, number of axes and layout of each array. The
    `examples` are arguments for a first, harmless call that compiles the kernel or loads its machine code; without
    them, those of the first call serve, which is then made twice.
    """

    __slots__ = ("_examples", "_kernel", "call")

    def __init__(self, kernel: Callable[..., Any], *examples: Any) -> None:
        self._kernel, self._examples = kernel, examples
        self.call: Callable[..., Any] = self._first_call

    def _first_call(self, *arguments: Any) -> Any:
        self.call = _entry_point(self._kernel, self._examples or arguments)
        return self.call(*arguments)


def _entry_point(kernel: Any, examples: tuple[Any, ...]) -> Callable[..., Any]:
    """Return the machine code of a kernel for these types as a Python function, or the kernel itself if interpreted."""
    if not hasattr(kernel, "overloads"):
        return kernel  # type: ignore[no-any-return]
    from numba import typeof

    kernel(*examples)
    code: Callable[..., Any] = kernel.overloads[tuple(typeof(example) for example in examples)].entry_point
    return code


def _forget_constants(compiled: Any) -> None:
    """Let calls from other kernels with constants, f(x, 1) and f(x, 2), share one machine code; Numba makes two."""
    from numba import types

    template = compiled.get_call_template

    def shared(args: Sequence[Any], kws: Mapping[str, Any]) -> Any:
        return template([types.unliteral(a) for a in args], {name: types.unliteral(a) for name, a in kws.items()})

    compiled.get_call_template = shared


def _compiled(function: Function, options: dict[str, Any]) -> Function:
    if _interprets:
        return function
    import numba

    from armlab.kernels import code_cache

    has_source = Path(function.__code__.co_filename).is_file()
    is_kept = has_source and code_cache.cache_folder() is not None
    compiled: Any = numba.njit(cache=is_kept, **code_cache.OPTIONS, **options)(function)
    if hasattr(compiled, "get_call_template"):  # not where NUMBA_DISABLE_JIT is set
        _forget_constants(compiled)
    if is_kept:
        code_cache.keep(compiled)
    result: Function = compiled
    return result
