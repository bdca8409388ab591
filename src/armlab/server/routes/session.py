"""Sessions over HTTP: made, ended, and what is asked about the arm of one."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Annotated, Any

from anyio import to_thread
from fastapi import APIRouter, Depends, Query, Request, Response
from pydantic import ValidationError
from starlette.background import BackgroundTask
from starlette.responses import StreamingResponse

from armlab.arrays import Floats
from armlab.assets import asset_store, references_in
from armlab.catalog import load_tool
from armlab.cell.arm import build_arm, own_arm
from armlab.cell.kernel_compiler import on_wait
from armlab.cell.plan_contacts import plan_contacts
from armlab.cell.playback import plan_motion
from armlab.cell.positions import positions_of
from armlab.cell.project import JointPlan, Project, ProjectArm
from armlab.cell.worker import Worker
from armlab.geometry import pose
from armlab.jobs import ASKED, UPLOAD, Ticket, submit
from armlab.kinematics.all_ik import all_ik
from armlab.kinematics.outside import OutsideSolution, solutions_outside
from armlab.kinematics.why import why_not
from armlab.messages import Message, _, term
from armlab.model.joint_units import from_joint_units
from armlab.model.robot import Robot
from armlab.motion.limits import limits_of
from armlab.reports.kinematics import FkReport, WhyReport, fk_report, ik_report, why_report
from armlab.reports.motion import PlanReport, plan_report
from armlab.reports.report import rounded, shown_q
from armlab.reports.robots import RobotSheet
from armlab.reports.singularity import (
    SingularityReport,
    StatusTurn,
    nearest_report,
    singularity_report,
    status_turn,
)
from armlab.reports.tool import MountedToolReport, mounted_tool_report
from armlab.server import robot_assets
from armlab.server.failures import Outdated
from armlab.server.guard import MAX_STREAMED_BYTES
from armlab.server.import_work import PREFIX
from armlab.server.messages import ErrorBody, OutsideReport, PastLimit, SessionReport, SolutionsReport
from armlab.server.outcome import outcome
from armlab.server.project_file import is_packed, read_document, write_packed
from armlab.server.receiving import receive_into
from armlab.server.requests import NewSession, PlanQuestion, PoseQuestion
from armlab.server.routes.api import MAX_QUERY, answer_with, joint_values
from armlab.server.sessions import Sessions
from armlab.units import joint_scale, joint_unit
from armlab.validation import refusal

ERRORS: dict[int | str, dict[str, Any]] = {
    404: {"model": ErrorBody, "description": "There is no session of that name."},
    422: {"model": ErrorBody, "description": "The values cannot be used; the message says why."},
}
CHUNK = 1 << 20
GLB: dict[int | str, dict[str, Any]] = {
    200: {"content": {"model/gltf-binary": {}}},
    304: {"description": "The file has not changed."},
}

router = APIRouter(prefix="/api/sessions", responses=ERRORS)


def sessions_of(request: Request) -> Sessions:
    """Return the sessions of the application that is asked."""
    sessions: Sessions = request.app.state.sessions
    return sessions


Revision = Annotated[
    int | None,
    Query(description="The revision of the project that is asked about; where it is not the last, the answer is 204."),
]


async def session_named(request: Request, session: str, revision: Revision = None) -> Worker:
    """Return the session of the path; its pages hear of it if the answer has to wait for kernels.

    Raises:
        Outdated: if the question is about an older or newer revision of the project than there is: joints that come
            with it may be those of another arm.
    """
    worker = sessions_of(request).find(session)
    if revision is not None and revision != worker.session.revision:
        raise Outdated
    on_wait.set(worker.tell_of_compiling)  # for this request, in whichever thread it is answered
    return worker


async def whole_body(request: Request) -> bytes:
    """Return the request's body as it came."""
    return await request.body()


EditLabel = Annotated[str, Query(min_length=1, max_length=60, description="What undo will say.")]
Found = Annotated[Worker, Depends(session_named)]
JointText = Annotated[
    str | None,
    Query(max_length=MAX_QUERY, description="Joint values, separated by commas: °, mm. Default: where the arm is."),
]
ArmName = Annotated[
    str | None,
    Query(max_length=MAX_QUERY, description="What an arm is called in its scene. Default: the selected one."),
]


@router.post("")
def create(request: Request, question: NewSession | None = None) -> SessionReport:
    """Start a session, with a project or with the first arm of the catalog."""
    question = question or NewSession()
    worker = sessions_of(request).create(question.project)
    return SessionReport(session=worker.name, revision=worker.session.revision)


@router.delete("/{session}", status_code=204)
def end(request: Request, session: str) -> None:
    """End a session; one that is not there has ended already."""
    sessions_of(request).end(session)


@router.get("/{session}/project", response_class=Response)
def saved_project(worker: Found) -> Response:
    """The whole project as one file, with where arms and bodies stand: JSON, or a zip where it has files of its own."""
    session = worker.session
    project = session.project.model_copy(update={"positions": positions_of(session.scene, session.world.states())})
    name = "".join(c if c.isascii() and c.isalnum() else "-" for c in project.title.lower()).strip("-") or "project"
    text = project.model_dump_json(by_alias=True, exclude_defaults=False, indent=2)
    is_packed = bool(references_in(text))
    kind, ending = ("application/zip", "zip") if is_packed else ("application/json", "json")
    headers = {"Content-Disposition": f'attachment; filename="{name}.armlab.{ending}"', "Cache-Control": "no-store"}
    if not is_packed:
        return Response(text, media_type=kind, headers=headers)
    file = tempfile.TemporaryFile()  # noqa: SIM115 - closed when it has been sent
    try:
        write_packed(text, file)
    except BaseException:
        file.close()
        raise
    size = file.tell()
    file.seek(0)
    parts = iter(lambda: file.read(CHUNK), b"")
    headers |= {"Content-Length": str(size)}
    return StreamingResponse(parts, media_type=kind, headers=headers, background=BackgroundTask(file.close))


@router.put("/{session}/project")
async def open_project(request: Request, worker: Found, label: EditLabel = "open a file") -> SessionReport:
    """Open a project file in the place of this one; undo brings the old one back. A broken file changes nothing."""
    await to_thread.run_sync(sessions_of(request).make_room_for_assets)
    store = asset_store()
    with tempfile.TemporaryDirectory(prefix=PREFIX) as folder:
        path = Path(folder) / "project"
        with path.open("wb") as stream:
            await receive_into(request, stream.write, MAX_STREAMED_BYTES)
        if is_packed(path):
            document = await outcome(request, submit(Ticket(UPLOAD, worker.name), read_document, path, store))
        else:
            document = await to_thread.run_sync(read_document, path, store)
    await to_thread.run_sync(_replace, worker, document, label)
    return SessionReport(session=worker.name, revision=worker.session.revision)


def _replace(worker: Worker, document: bytes, label: str) -> None:
    try:
        project = Project.model_validate_json(document)
    except ValidationError as error:
        raise refusal(error).within(term(_("not an armlab project"))) from None
    worker.replace(project, label)


@router.get("/{session}/sheet")
def sheet(worker: Found) -> RobotSheet:
    """Everything about the arm, with the lengths and limits that the project gives it."""
    return robot_assets.sheet_of(worker.session.robot)


@router.get("/{session}/original")
def original(worker: Found) -> RobotSheet:
    """Everything about the arm as the catalog or its own file has it, whatever the project has changed."""
    return robot_assets.sheet_of(own_arm(own_of(worker).arm))


@router.get("/{session}/tool")
def mounted_tool(worker: Found) -> MountedToolReport:
    """The tool on the flange, where its point is and was, and what it carries."""
    choice, load = own_of(worker).arm, own_of(worker).arm.payload
    payload = None if load is None else (load.mass, load.com)
    return mounted_tool_report(build_arm(choice), load_tool(choice.tool), payload)


@router.get("/{session}/model.glb", response_class=Response, responses=GLB)
def model(request: Request, worker: Found, arm: ArmName = None) -> Response:
    """The arm's shape as GLB: one node per link and one for the tool; by default that of the selected arm."""
    robot = worker.session.robot if arm is None else worker.session.scene.robot(arm).robot
    return answer_with(robot_assets.model_of(robot), request.headers.get("if-none-match"))


@router.get("/{session}/bodies.glb", response_class=Response, responses=GLB)
def bodies(request: Request, worker: Found) -> Response:
    """The shapes of all bodies as GLB: one node per body in the body's frame, named as the body."""
    return answer_with(robot_assets.bodies_of(worker.session.scene), request.headers.get("if-none-match"))


@router.get("/{session}/fk")
def fk(worker: Found, q: JointText = None) -> FkReport:
    """Where the tool and every link would be at joint values `q`."""
    return fk_report(worker.session.robot, asked_joints(worker, q), with_frames=True)


@router.post("/{session}/ik")
def ik(worker: Found, question: PoseQuestion) -> SolutionsReport:
    """All joint values that give the tool a pose, by branch; where there are none, why."""
    robot, T = worker.session.robot, pose.from_mm_deg(question.pose)
    found = all_ik(robot, T, task=question.task, turns=True)
    why = None if found else why_not(robot, T, task=question.task)
    reason = Message("reached", _("the target is reached")) if why is None else why.summary
    return SolutionsReport(
        ik=ik_report(robot, bool(found), reason, found),
        why=None if why is None else why_report(robot, why),
        kuka=_status_turns(robot, found.q),
        outside=tuple(_outside_report(robot, o) for o in solutions_outside(robot, T, task=question.task)),
    )


@router.get("/{session}/singularity")
async def singularity(request: Request, worker: Found, q: JointText = None, nearest: bool = False) -> SingularityReport:
    """How singular the arm is at joint values `q`; with `nearest`, also of what kind and where the nearest pose is."""
    robot, values = worker.session.robot, asked_joints(worker, q)
    if not nearest:
        return await to_thread.run_sync(singularity_report, robot, values)
    return await outcome(request, submit(Ticket(ASKED, worker.name), nearest_report, robot, values))


@router.post("/{session}/why")
def why(worker: Found, question: PoseQuestion) -> WhyReport:
    """Whether a pose can be reached, why not, and what comes nearest."""
    robot = worker.session.robot
    return why_report(robot, why_not(robot, pose.from_mm_deg(question.pose), task=question.task))


@router.post("/{session}/plan")
def plan(worker: Found, question: PlanQuestion) -> PlanReport:
    """A planned motion, without playing it."""
    session, asked = worker.session, question.plan
    robot = session.robot
    planned = plan_motion(asked, robot)
    return plan_report(
        robot,
        planned.trajectory,
        limits_of(robot).scaled(speed=asked.speed / 100.0),
        scheme=asked.scheme if isinstance(asked, JointPlan) else "smooth",
        path="joint" if isinstance(asked, JointPlan) else asked.path,
        step=question.step,
        findings=(*planned.findings, *plan_contacts(session.scene_now(), session.state, planned.trajectory)),
    )


def _status_turns(robot: Robot, q: Floats) -> tuple[StatusTurn, ...] | None:
    found = [status_turn(robot, row) for row in q]
    return None if not found or None in found else tuple(both for both in found if both is not None)


def _outside_report(robot: Robot, solution: OutsideSolution) -> OutsideReport:
    shown = shown_q(robot, solution.q)
    past = []
    for i in solution.joints:
        joint = robot.joints[i]
        lower, upper = (rounded(limit / joint_scale(joint.kind)) for limit in (joint.lower, joint.upper))
        past.append(PastLimit(joint=joint.name, unit=joint_unit(joint.kind), value=shown[i], lower=lower, upper=upper))
    return OutsideReport(q=shown, branch=solution.branch, past=tuple(past), kuka=status_turn(robot, solution.q))


def own_of(worker: Worker) -> ProjectArm:
    """Return what the selected arm has of its own."""
    return worker.session.project.arm(worker.session.selected)


def asked_joints(worker: Worker, text: str | None) -> Floats:
    """Return the joint values of a query in SI; without one, where the arm is."""
    robot = worker.session.robot
    return worker.session.q if text is None else joint_values(robot, text)


def typed_joints(robot: Robot, values: tuple[float, ...]) -> Floats:
    """Return joint values in ° or mm as SI."""
    return from_joint_units(robot, values)
