"""A pinhole camera in a scene: its picture and its depths, by the software rasteriser; no GPU."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from armlab.arrays import Floats
from armlab.errors import InvalidInput
from armlab.figures.faces import AMBIENT, COARSE, DARKEST, LIGHT, arm_solids
from armlab.figures.raster import nearest
from armlab.geometry import pose, solid
from armlab.messages import _
from armlab.model.scene import Body, Scene
from armlab.sensing.mount import Mount
from armlab.sim.probe import SimProbe

NEAR = 1e-3
"""m: what is nearer than this to the camera, or behind it, is not seen."""
SKY = (0.86, 0.89, 0.92)


@dataclass(frozen=True, slots=True)
class PinholeCamera:
    """A camera that looks along z of its frame, with x to the right and y down; sizes in pixels, angle in rad."""

    width: int = 160
    height: int = 120
    field_of_view: float = math.radians(60.0)
    """Across the width."""

    def __post_init__(self) -> None:
        if not (1 <= self.width <= 4096 and 1 <= self.height <= 4096 and 0.01 < self.field_of_view < 3.1):
            raise InvalidInput(
                "camera_size",
                _("camera: {width} × {height} pixels and {angle:.3g} rad are not possible"),
                width=self.width,
                height=self.height,
                angle=self.field_of_view,
            )

    @property
    def focal_length(self) -> float:
        """In pixels."""
        return 0.5 * self.width / math.tan(0.5 * self.field_of_view)


@dataclass(frozen=True, slots=True, eq=False)
class CameraImage:
    """What a camera sees."""

    colours: NDArray[np.uint8]
    """(height, width, 3)."""
    depth: Floats
    """(height, width) m along the camera's z; inf where there is nothing."""


def photograph(camera: PinholeCamera, T_world_camera: Floats, corners: Floats, colours: Floats) -> CameraImage:
    """Return the picture of triangles `corners` (k, 3, 3) in the world, lit from one side, of `colours` (k, 3) each.

    Triangles with a corner behind the camera are left out.
    """
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    sizes = np.linalg.norm(normals, axis=1, keepdims=True)
    facing = np.clip((normals / np.maximum(sizes, 1e-300)) @ (LIGHT / np.linalg.norm(LIGHT)), DARKEST, 1.0)
    lit = np.clip(colours * (AMBIENT + (1.0 - AMBIENT) * facing)[:, None], 0.0, 1.0)
    local = pose.transform(pose.inverse(T_world_camera), corners.reshape(-1, 3)).reshape(-1, 3, 3)
    seen = (local[:, :, 2] > NEAR).all(axis=1) & (sizes[:, 0] > 1e-15)
    local, lit = local[seen], lit[seen]
    flat = np.empty_like(local)
    flat[..., 0] = camera.focal_length * local[..., 0] / local[..., 2] + 0.5 * camera.width
    flat[..., 1] = camera.focal_length * local[..., 1] / local[..., 2] + 0.5 * camera.height
    flat[..., 2] = -1.0 / local[..., 2]  # linear on the picture, and larger where farther
    ab, ac = flat[:, 1, :2] - flat[:, 0, :2], flat[:, 2, :2] - flat[:, 0, :2]
    whole = np.abs(ab[:, 0] * ac[:, 1] - ab[:, 1] * ac[:, 0]) > 1e-12
    local, lit, flat = local[whole], lit[whole], flat[whole]
    found = nearest(flat, camera.width, camera.height)
    picture = np.broadcast_to(np.array(SKY), (camera.height, camera.width, 3)).copy()
    depth = np.full((camera.height, camera.width), np.inf)
    rows, columns = np.nonzero(found >= 0)
    which = found[rows, columns]
    picture[rows, columns] = lit[which]
    depth[rows, columns] = _depths(camera, local[which], rows, columns)
    return CameraImage(np.asarray(picture * 255.0 + 0.5, dtype=np.uint8), depth)


class SceneCamera:
    """A camera on a link or body of a simulated scene; call it with a probe, as sensors do.

    Args:
        scene: what is simulated.
        mount: where the camera sits.
        camera: its size and angle.
        robot: on whose link it sits; the first arm if not said.
    """

    def __init__(self, scene: Scene, mount: Mount, camera: PinholeCamera, robot: str | None = None) -> None:
        self.camera, self._scene, self._mount, self._robot = camera, scene, mount, robot
        self._arms = [(placed.name, placed.robot, arm_solids(placed.robot, COARSE)) for placed in scene.robots]
        self._bodies = [(body.name, *_triangles(body)) for body in scene.bodies]

    def __call__(self, probe: SimProbe) -> Floats:
        """Return the depths (height, width) that the camera sees now (m)."""
        return self.photograph(probe).depth

    def photograph(self, probe: SimProbe) -> CameraImage:
        """Return picture and depths as they are now."""
        corners, colours = [np.empty((0, 3, 3))], [np.empty((0, 3))]
        for name, robot, solids in self._arms:
            frames = probe.state(name).frames.copy()
            frames[-1] = frames[-1] @ pose.inverse(robot.tool.T_flange_tool)
            T = frames[solids.link]
            corners.append(solids.corners @ np.swapaxes(T[:, :3, :3], 1, 2) + T[:, None, :3, 3])
            colours.append(solids.colours)
        for name, local, colour in self._bodies:
            T_world_body = probe.state().bodies[name]
            corners.append(local @ T_world_body[:3, :3].T + T_world_body[:3, 3])
            colours.append(colour)
        T_world_camera = probe.motion(self._mount.link, self._mount.T, self._robot).T_world
        return photograph(self.camera, T_world_camera, np.concatenate(corners), np.concatenate(colours))


def _triangles(body: Body) -> tuple[Floats, Floats]:
    meshes = [solid.mesh(shape, COARSE) for shape in body.shapes]
    corners = np.concatenate([mesh.vertices[mesh.faces] for mesh in meshes])
    rgb = [int(body.colour[i : i + 2], 16) / 255.0 for i in (1, 3, 5)]
    return corners, np.tile(rgb, (len(corners), 1))


def _depths(camera: PinholeCamera, corners: Floats, rows: NDArray[np.int64], columns: NDArray[np.int64]) -> Floats:
    """Return where the ray through the middle of each pixel meets the plane of its triangle (k, 3, 3), along z."""
    x = (columns + 0.5 - 0.5 * camera.width) / camera.focal_length
    y = (rows + 0.5 - 0.5 * camera.height) / camera.focal_length
    ray = np.stack([x, y, np.ones_like(x)], axis=1)
    normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    along = np.einsum("ki,ki->k", normal, ray)
    meets = np.einsum("ki,ki->k", normal, corners[:, 0]) / np.where(np.abs(along) > 1e-15, along, 1e-15)
    return np.asarray(np.clip(meets, corners[:, :, 2].min(axis=1), corners[:, :, 2].max(axis=1)))
