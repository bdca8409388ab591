"""The real arm over HTTP: pose, calibrations, diagnoses, files; what cannot be used is said with its row."""

from __future__ import annotations

import json
import threading
from typing import Any

import numpy as np
import pytest
from server.asking import Asker

import armlab
from armlab.calibration import Poses, real_arm, real_arm_of_text, real_fk
from armlab.calibration.measurement_file import measurement_table
from armlab.server.app import create_app

ARM = "kuka-kr6-r700"
SEED = 3
MOST_LOOKS = 2000


@pytest.fixture(scope="module")
def asker() -> Asker:
    return Asker(create_app())


def post(asker: Asker, path: str, body: Any) -> Any:
    headers = {"Content-Type": "application/json", "Origin": "http://localhost:8090"}
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    return asker.send("POST", path, headers=headers, content=content)


@pytest.fixture(scope="module")
def base(asker: Asker) -> str:
    project = {"schema": 1, "arm": {"name": ARM}, "real": {"kind": "drawn", "seed": SEED}}
    return f"/api/sessions/{post(asker, '/api/sessions', {'project': project}).json()['session']}/real"


def settled(asker: Asker, path: str) -> Any:
    """Return a job when it has ended."""
    pause = threading.Event()
    for _look in range(MOST_LOOKS):
        job = asker.get(path).json()
        if job["state"] != "running":
            return job
        pause.wait(0.05)
    raise AssertionError("the job does not end")


def test_the_pose_is_that_of_the_library_whatever_is_enlarged(asker: Asker, base: str) -> None:
    robot = armlab.load(ARM)
    real = real_arm(robot, "industrial", seed=SEED)
    expected = np.linalg.norm(real_fk(real, robot.home)[:3, 3] - robot.fk(robot.home)[:3, 3]) * 1e3
    once, larger = (asker.get(f"{base}/pose?enlarge={factor}").json() for factor in (1, 100))
    assert once["distance"] == pytest.approx(expected, abs=0.02)
    assert larger["distance"] == once["distance"]
    assert len(once["frames"]) == 7 * (robot.dof + 2)
    assert np.abs(np.subtract(larger["frames"], once["frames"])).max() > 0.01
    assert asker.get(f"{base}/pose?enlarge=0").status_code == 422


def test_without_a_real_arm_there_is_no_pose_and_nothing_to_measure(asker: Asker) -> None:
    made = post(asker, "/api/sessions", {"project": {"schema": 1, "arm": {"name": ARM}}}).json()["session"]
    path = f"/api/sessions/{made}/real"
    assert asker.get(f"{path}/pose").json() is None
    assert asker.get(f"{path}/calibration").json()["state"] == "none"
    assert asker.get(f"{path}/clinic").json()["state"] == "none"
    assert post(asker, f"{path}/calibration", {}).json()["code"] == "no_real_arm"
    assert asker.get(f"{path}/real.toml").json()["code"] == "no_real_arm"
    assert asker.get(f"{path}/calibration/real.toml").json()["code"] == "nothing_found_yet"
    assert asker.get(f"{path}/clinic/recording.csv").json()["code"] == "nothing_found_yet"


def test_a_simulated_measurement_is_calibrated_and_gives_the_real_arm_as_a_file(asker: Asker, base: str) -> None:
    assert post(asker, f"{base}/calibration", {"poses": 40, "seed": 1}).json()["state"] == "running"
    job = settled(asker, f"{base}/calibration")
    assert job["state"] == "done"
    result = job["result"]
    assert result["after"]["mean"] < 0.1 * result["before"]["mean"]
    assert np.mean(result["map"]["after"]) < 0.1 * np.mean(result["map"]["before"])
    robot = armlab.load(ARM)
    found = real_arm_of_text(asker.get(f"{base}/calibration/real.toml").text, robot)
    true = real_arm_of_text(asker.get(f"{base}/real.toml").text, robot)
    assert np.linalg.norm((real_fk(found, robot.home) - real_fk(true, robot.home))[:3, 3]) < 3e-4


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b"", "measurements_empty"),
        (b"\x00\xff\xd8\x01" * 50, "not_text_file"),
        (b"q1,q2,q3,x,y,z\n1,2,3,4,5,6\n", "measurement_columns"),
        (b"q1,q2,q3,q4,q5,q6,x,y,z\n1,2,3,4,5,6,7,8,NaN\n", "measurement_value"),
    ],
)
def test_a_wrong_file_is_refused_and_named(asker: Asker, base: str, body: bytes, code: str) -> None:
    post(asker, f"{base}/measurements?name=tracker.csv", body)
    job = settled(asker, f"{base}/calibration")
    assert (job["state"], job["failure"]["code"]) == ("failed", code)
    assert job["failure"]["message"].startswith("tracker.csv: ")


def test_measurements_of_a_file_are_calibrated(asker: Asker, base: str) -> None:
    robot = armlab.load(ARM)
    rng = np.random.default_rng(3)
    q = rng.uniform(0.8 * robot.lower, 0.8 * robot.upper, (30, robot.dof))
    T = real_fk(real_arm(robot, "industrial", seed=9), q)
    T[:, :3, 3] += rng.normal(scale=5e-5, size=(30, 3))
    post(asker, f"{base}/measurements?name=m.csv&model=geometry", measurement_table(Poses(q, T), robot).encode())
    job = settled(asker, f"{base}/calibration")
    assert (job["state"], job["source"], job["result"]["model"]) == ("done", "m.csv", "geometry")


def test_the_clinic_finds_what_was_injected_and_reads_its_own_recording(asker: Asker, base: str) -> None:
    question = {"fault": "wrong_payload", "onset": 30.0, "seed": 5}
    post(asker, f"{base}/clinic", question)
    job = settled(asker, f"{base}/clinic")
    assert job["result"]["cause"] == job["injected"]["cause"] == "wrong_payload"
    assert job["result"]["since"] == pytest.approx(30.0, abs=1.0)
    content = asker.get(f"{base}/clinic/recording.mcap").content
    post(asker, f"{base}/recording?name=run.mcap", content)
    again = settled(asker, f"{base}/clinic")
    assert again["source"] == "run.mcap"
    assert again["injected"] is None
    assert again["result"]["cause"] == "wrong_payload"
    assert "imu_bias" in again["result"]["unseen"]


@pytest.mark.parametrize("name", ["run.csv", "run.mcap", "run.parquet"])
def test_a_recording_that_is_none_is_refused_by_its_own_name(asker: Asker, base: str, name: str) -> None:
    post(asker, f"{base}/recording?name={name}", b"\x00nothing of that kind")
    job = settled(asker, f"{base}/clinic")
    assert job["state"] == "failed"
    assert name in job["failure"]["message"]
    assert "/" not in job["failure"]["message"]


def test_questions_that_make_no_sense_are_refused_at_once(asker: Asker, base: str) -> None:
    assert post(asker, f"{base}/recording?name=run.txt", b"x").json()["code"] == "recording_kind"
    assert post(asker, f"{base}/calibration", {"poses": 1}).status_code == 422
    assert post(asker, f"{base}/calibration", {"noise": 0}).status_code == 422
    unknown = post(asker, f"{base}/clinic", {"fault": "backlash", "joint": "A9"})
    assert unknown.json()["code"] == "unknown_joint"
