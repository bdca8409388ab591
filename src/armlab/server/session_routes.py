"""Sessions over HTTP: made, ended, and what is asked about the arm of one."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np
from fastapi import APIRouter, Depends, Query, Request, Response
from pydantic import ValidationError

from armlab import reports
from armlab.arrays import Floats
from armlab.catalog.files import problem_texts
from armlab.errors import InvalidInput
from armlab.kinematics.all_ik import all_ik
from armlab.kinematics.lm_trace import lm_trace
from armlab.kinematics.why import why_not
from armlab.model.robot import Robot
from armlab.motion.limits import limits_of
from armlab.reports import RobotSheet, WhyReport, shown_q
from armlab.reports.motion import PlanReport, plan_report
from armlab.runtime.bench import pose_of
from armlab.runtime.planning import plan_player
from armlab.runtime.project import JointPlan, Project
from armlab.runtime.worker import Worker
from armlab.server import shelf
from armlab.server.messages import ErrorBody, SessionReport, SolutionsReport, StepRow, StepsReport
from armlab.server.questions import NewSession, PlanQuestion, PoseQuestion, StepsQuestion
from armlab.server.routes import MAX_QUERY, answer_with, joint_values
from armlab.server.sessions import Sessions
from armlab.units import DEG_PER_RAD, MM_PER_M, joint_scale

ERRORS: dict[int | str, dict[str, Any]] = {
    404: {"model": ErrorBody, "description": "There is no session of that name."},
    422: {"model": ErrorBody, "description": "The values cannot be used; the message says why."},
}
GLB: dict[int | str, dict[str, Any]] = {
    200: {"content": {"model/gltf-binary": {}}},
    304: {"description": "The file has not changed."},
}

router = APIRouter(prefix="/api/sessions", responses=ERRORS)


def sessions_of(request: Request) -> Sessions:
    """Return the sessions of the application that is asked."""
    sessions: Sessions = request.app.state.sessions
    return sessions


def session_named(request: Request, session: str) -> Worker:
    """Return the session of the path."""
    return sessions_of(request).find(session)


async def whole_body(request: Request) -> bytes:
    """Return the request's body as it came."""
    return await request.body()


Found = Annotated[Worker, Depends(session_named)]
JointText = Annotated[
    str | None,
    Query(max_length=MAX_QUERY, description="Joint values, separated by commas: °, mm. Default: where the arm is."),
]


@router.post("")
def create(request: Request, wish: NewSession | None = None) -> SessionReport:
    """Start a session, with a project or with the first arm of the catalog."""
    wish = wish or NewSession()
    worker = sessions_of(request).create(wish.project, wish.q)
    return SessionReport(session=worker.name, revision=worker.engine.revision)


@router.delete("/{session}", status_code=204)
def end(request: Request, session: str) -> None:
    """End a session; one that is not there has ended already."""
    sessions_of(request).end(session)


@router.get("/{session}/project")
def saved_project(worker: Found) -> Response:
    """The whole project as one small file."""
    project = worker.engine.project
    name = "".join(c if c.isascii() and c.isalnum() else "-" for c in project.title.lower()).strip("-") or "project"
    text = project.model_dump_json(by_alias=True, exclude_defaults=False, indent=2)
    headers = {"Content-Disposition": f'attachment; filename="{name}.armlab.json"', "Cache-Control": "no-store"}
    return Response(text, media_type="application/json", headers=headers)


@router.put("/{session}/project")
def open_project(worker: Found, body: Annotated[bytes, Depends(whole_body)]) -> SessionReport:
    """Open a project file in the place of this one; undo brings the old one back. A broken file changes nothing."""
    try:
        project = Project.model_validate_json(body)
    except ValidationError as error:
        key, problem = problem_texts(error)
        where = f"{key}: " if key else ""
        raise InvalidInput(f"this is no project file of armlab: {where}{problem}", key=key) from None
    worker.replace(project, "open a file")
    return SessionReport(session=worker.name, revision=worker.engine.revision)


@router.get("/{session}/sheet")
def sheet(worker: Found) -> RobotSheet:
    """Everything about the arm, with the lengths and limits that the project gives it."""
    return shelf.sheet_of(worker.engine.robot)


@router.get("/{session}/model.glb", response_class=Response, responses=GLB)
def model(request: Request, worker: Found) -> Response:
    """The arm's shape as GLB: one node per link and one for the tool."""
    return answer_with(shelf.model_of(worker.engine.robot), request.headers.get("if-none-match"))


@router.get("/{session}/bodies.glb", response_class=Response, responses=GLB)
def bodies(request: Request, worker: Found) -> Response:
    """The shapes of all bodies as GLB: one node per body in the body's frame, named as the body."""
    return answer_with(shelf.bodies_of(worker.engine.scene), request.headers.get("if-none-match"))


@router.get("/{session}/fk")
def fk(worker: Found, q: JointText = None) -> reports.FkReport:
    """Where the tool and every link would be at joint values `q`."""
    return reports.fk_report(worker.engine.robot, asked_joints(worker, q), with_frames=True)


@router.post("/{session}/ik")
def ik(worker: Found, question: PoseQuestion) -> SolutionsReport:
    """All joint values that give the tool a pose, by branch; where there are none, why."""
    robot, T = worker.engine.robot, pose_of(question.pose)
    found = all_ik(robot, T, task=question.task)
    why = None if found else why_not(robot, T, task=question.task)
    reason = "the target is reached" if why is None else why.summary
    return SolutionsReport(
        ik=reports.ik_report(robot, bool(found), reason, found),
        why=None if why is None else reports.why_report(robot, why),
    )


@router.post("/{session}/why")
def why(worker: Found, question: PoseQuestion) -> WhyReport:
    """Whether a pose can be reached, why not, and what comes nearest."""
    robot = worker.engine.robot
    return reports.why_report(robot, why_not(robot, pose_of(question.pose), task=question.task))


@router.post("/{session}/lm")
def steps(worker: Found, question: StepsQuestion) -> StepsReport:
    """Levenberg and Marquardt's method, step by step."""
    robot = worker.engine.robot
    start = _inside(robot, worker.engine.q if question.start is None else typed_joints(robot, question.start))
    trace = lm_trace(
        robot,
        pose_of(question.pose),
        start,
        task=question.task,
        damping=question.damping,
        max_steps=question.steps,
    )
    return StepsReport(
        steps=tuple(
            StepRow(
                q=shown_q(robot, s.q),
                error=s.error * MM_PER_M,
                gradient=s.gradient,
                damping=s.damping,
                step=s.step,
                accepted=s.accepted,
            )
            for s in trace.steps
        ),
        q=shown_q(robot, trace.q),
        error=trace.error * MM_PER_M,
        position_error=trace.position_error * MM_PER_M,
        rotation_error=trace.rotation_error * DEG_PER_RAD,
        converged=trace.converged,
        stop=trace.stop,
    )


@router.post("/{session}/plan")
def plan(worker: Found, question: PlanQuestion) -> PlanReport:
    """A planned motion, without playing it."""
    robot, asked = worker.engine.robot, question.plan
    player = plan_player(asked, robot, "plan")
    return plan_report(
        robot,
        player.trajectory,
        limits_of(robot).scaled(speed=asked.speed / 100.0),
        scheme=asked.scheme if isinstance(asked, JointPlan) else "smooth",
        path="joint" if isinstance(asked, JointPlan) else asked.path,
        step=question.step,
        findings=player.findings,
    )


def asked_joints(worker: Worker, text: str | None) -> Floats:
    """Return the joint values of a query in SI; without one, where the arm is."""
    robot = worker.engine.robot
    return worker.engine.q if text is None else joint_values(robot, text)


def typed_joints(robot: Robot, values: tuple[float, ...]) -> Floats:
    """Return joint values in ° or mm as SI."""
    if len(values) != robot.dof:
        raise InvalidInput(f"{robot.name} has {robot.dof} joints, but {len(values)} values are given")
    return np.array([v * joint_scale(joint.kind) for v, joint in zip(values, robot.joints, strict=True)])


def _inside(robot: Robot, q: Floats) -> Floats:
    """Return `q` brought inside the limits: a simulated joint may be a hair outside of them."""
    return np.clip(q, robot.lower, robot.upper)
