"""An arm in motion as a GIF, or as MP4 where ffmpeg is installed."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from armlab.arrays import Floats
from armlab.errors import InvalidInput, NotSupported
from armlab.figures.arm import add_title, path_rows, pose_lines
from armlab.figures.scene import ArmScene, bounds_around
from armlab.figures.style import check_figure_path, in_style, new_figure, shown_name
from armlab.files import written_whole
from armlab.messages import _
from armlab.model.robot import Robot

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from PIL.Image import Image

Progress: TypeAlias = Callable[[int, int], object]
"""Called with how many frames are done, and of how many."""

SUFFIXES = (".gif", ".mp4")
MOST_FRAMES = 600
MOST_FPS = 60
SIZE, DOTS_PER_INCH = (6.4, 6.0), 100
MOVE_FRAMES, PAUSE = 22, 5
"""Frames from one pose to the next, and frames of rest there."""
MOST_MOVES = MOST_FRAMES // (MOVE_FRAMES + PAUSE)
SWING = 0.25
"""How far the joints of an arm without configurations move, as a share of the range; rad or m where it has none."""
_COLOURS = 128
_NEXT_TO_WHITE = 248


def save_animation(
    robot: Robot,
    q: ArrayLike,
    path: Path | str,
    *,
    fps: int = 25,
    frames: bool = True,
    solid: bool = True,
    progress: Progress | None = None,
) -> None:
    """Write the arm going through the joints `q` (m, n), one row per picture, as .gif or .mp4; whole or not at all.

    Raises:
        InvalidInput: if there are more than 600 rows, or the file cannot be written.
        NotSupported: if the name ends in .mp4 and there is no ffmpeg.
    """
    path = check_animation_path(path)
    rows = path_rows(robot, q)
    if len(rows) > MOST_FRAMES:
        raise InvalidInput(
            "too_many_pictures",
            _("{robot}: q: {count} rows; at most {most} pictures are allowed"),
            robot=robot.name,
            count=len(rows),
            most=MOST_FRAMES,
        )
    if not 1 <= fps <= MOST_FPS:
        raise InvalidInput("fps_outside", _("fps: {fps} is outside 1 … {most}"), fps=fps, most=MOST_FPS)
    figure = new_figure(*SIZE, layout=None)
    pictures = _drawn(figure, robot, rows, frames=frames, solid=solid, progress=progress)
    with written_whole(path) as beside, in_style():
        if path.suffix.lower() == ".gif":
            _write_gif(figure, pictures, beside, fps)
            return
        try:
            _write_mp4(figure, pictures, beside, fps)
        except subprocess.CalledProcessError as error:
            said = str(error.stderr or "no reason given").strip().splitlines()
            raise NotSupported(
                "ffmpeg_failed", _("{file}: ffmpeg cannot write it ({reason})"), file=str(path), reason=said[-1]
            ) from None


def check_animation_path(path: Path | str) -> Path:
    """Return `path` if an animation can be written there.

    Raises:
        InvalidInput: if its name does not end in .gif or .mp4, or nothing can be written there.
        NotSupported: if it ends in .mp4 and there is no ffmpeg.
    """
    path = check_figure_path(path, SUFFIXES)
    if path.suffix.lower() == ".mp4" and shutil.which("ffmpeg") is None:
        raise NotSupported(
            "no_ffmpeg",
            _("{file}: MP4 needs the program ffmpeg, which is not installed; .gif needs nothing"),
            file=path.name,
        )
    return path


def demo(robot: Robot) -> Floats:
    """Return joints (m, n), one row per picture, from home through the named configurations and back, stopping at each.

    An arm without named configurations moves its joints one after the other instead.
    """
    stops = [q for q in robot.configurations.values() if not np.allclose(q, robot.home)] or _swings(robot)
    return between(np.array([robot.home, *stops[: MOST_MOVES - 1], robot.home]))


def between(stops: Floats) -> Floats:
    """Return joints (m, n), one row per picture, that go smoothly from each of the `stops` (k, n) to the next."""
    s = np.arange(1, MOVE_FRAMES + 1) / MOVE_FRAMES
    share = (s**3 * (10.0 - 15.0 * s + 6.0 * s**2))[:, None]
    rows = [stops[:1]]
    for here, there in pairwise(stops):
        rows += [here + (there - here) * share, np.repeat(there[None], PAUSE, axis=0)]
    return np.concatenate(rows)[:MOST_FRAMES]


def _swings(robot: Robot) -> list[Floats]:
    reach = (robot.upper - robot.lower) * SWING
    up = robot.upper - robot.home >= robot.home - robot.lower
    return [robot.home + np.eye(robot.dof)[i] * (reach[i] if up[i] else -reach[i]) for i in range(robot.dof)]


def _drawn(
    figure: Figure, robot: Robot, rows: Floats, *, frames: bool, solid: bool, progress: Progress | None
) -> Iterator[None]:
    """Draw one row after the other on the figure; what is then on it, the caller takes."""
    scene = ArmScene(figure, robot, bounds_around(robot, rows, solid=solid), frames=frames, solid=solid)
    text = add_title(figure, shown_name(robot), pose_lines(robot, rows[0]))
    for k, row in enumerate(rows):
        scene.show(row)
        text.set_text(pose_lines(robot, row))
        yield
        if progress is not None:
            progress(k + 1, len(rows))


def _write_gif(figure: Figure, pictures: Iterator[None], path: Path, fps: int) -> None:
    """Write a GIF; all of its pictures share the colours of the first."""
    from PIL import Image

    taken: list[Image.Image] = []
    for _picture in pictures:
        picture = _as_image(figure)
        colours = taken[0] if taken else _palette_of(picture)
        taken.append(picture.quantize(palette=colours, dither=Image.Dither.NONE))
    hundredths = max(2, round(100 / fps))  # what the format can tell, and what browsers follow
    taken[0].save(
        path, format="GIF", save_all=True, append_images=taken[1:], duration=hundredths * 10, loop=0, optimize=False
    )


def _palette_of(picture: Image) -> Image:
    """Return the picture in few colours, of which those next to white are white: paper stays paper."""
    few = picture.quantize(_COLOURS)
    colours = np.array(few.getpalette()).reshape(-1, 3)
    colours[(colours >= _NEXT_TO_WHITE).all(axis=1)] = 255
    few.putpalette(colours.ravel().tolist())
    return few


def _as_image(figure: Figure) -> Image:
    from PIL import Image

    canvas: Any = figure.canvas
    figure.set_dpi(DOTS_PER_INCH)
    canvas.draw()
    return Image.fromarray(np.asarray(canvas.buffer_rgba())[..., :3].copy())


def _write_mp4(figure: Figure, pictures: Iterator[None], path: Path, fps: int) -> None:
    from matplotlib.animation import FFMpegWriter

    writer = FFMpegWriter(fps=fps, codec="h264", extra_args=["-pix_fmt", "yuv420p", "-loglevel", "error"])
    with writer.saving(figure, str(path), DOTS_PER_INCH):
        for _picture in pictures:
            writer.grab_frame()
