from __future__ import annotations

import logging

import pytest
from fastapi import FastAPI
from server.asking import Asker

from armlab import catalog
from armlab.errors import Unreachable
from armlab.messages import _

NAME = catalog.robot_names()[0]
DOF = catalog.load(NAME).dof


def test_an_unknown_arm_is_a_404_that_names_near_ones(server: Asker) -> None:
    answer = server.get(f"/api/robots/{NAME}x")
    assert answer.status_code == 404
    body = answer.json()
    assert body["code"] == "unknown_robot"
    assert body["message"].startswith(f"no robot named '{NAME}x'; did you mean ")
    assert NAME in body["parameters"]["near"]


@pytest.mark.parametrize(
    "name",
    [
        "..%2f..%2fpyproject",
        "..%2f",
        "%2e%2e%2f%2e%2e%2fetc%2fpasswd",
        "..",
        "%2fetc%2fpasswd",
        "arm.toml",
        "..%5c..%5cx",
        "%00",
    ],
)
@pytest.mark.parametrize("rest", ["", "/fk", "/model.glb"])
def test_a_path_is_not_a_name(server: Asker, name: str, rest: str) -> None:
    answer = server.get(f"/api/robots/{name}{rest}")
    assert answer.status_code == 404
    assert answer.json()["code"] in {"unknown_robot", "http_not_found"}


@pytest.mark.parametrize("path", ["/..%2f..%2fpyproject.toml", "/%2e%2e/app.py", "/assets/..%2f..%2fapp.py", "/no"])
def test_only_files_of_the_page_are_served(server: Asker, path: str) -> None:
    answer = server.get(path)
    assert (answer.status_code, answer.json()["code"]) == (404, "http_not_found")


@pytest.mark.parametrize(
    ("q", "code", "parameters"),
    [
        ("1,2", "joint_count", {"who": "q", "expected": DOF, "count": 2}),
        ("1,two,3", "not_a_number", {"given": "two"}),
        ("", "not_a_number", {"given": ""}),
        ("nan", "not_a_number", {"given": "nan"}),
        ("1e999", "not_a_number", {"given": "1e999"}),
    ],
)
def test_joint_values_that_cannot_be_used_are_a_422_with_the_reason(
    server: Asker, q: str, code: str, parameters: dict[str, object]
) -> None:
    answer = server.get(f"/api/robots/{NAME}/fk?q={q}")
    assert answer.status_code == 422
    assert answer.json()["code"] == code
    assert parameters.items() <= answer.json()["parameters"].items()


def test_a_question_that_is_far_too_long_is_a_422(server: Asker) -> None:
    answer = server.get(f"/api/robots/{NAME}/fk?q={'1,' * 5000}")
    assert (answer.status_code, answer.json()["code"]) == (422, "invalid_request")
    assert answer.json()["parameters"]["problems"][0]["parameters"]["where"] == "query.q"


def test_a_request_that_is_not_valid_is_told_in_the_readers_language(server: Asker) -> None:
    answer = server.get(f"/api/robots/{NAME}/fk?q={'1,' * 5000}", accept_language="ru")
    assert "letters" not in answer.text
    assert "should have" not in answer.text


def test_a_method_that_a_route_does_not_have_is_a_405(server: Asker) -> None:
    answer = server.send("DELETE", "/api/robots")
    assert (answer.status_code, answer.json()["code"]) == (405, "http")


def test_errors_of_the_library_keep_their_code_and_parameters(app: FastAPI) -> None:
    @app.get("/api/far")
    def far() -> None:
        raise Unreachable("too_far", _("{robot} cannot reach {x:g} m"), robot="demo", x=9.5)

    answer = Asker(first_route(app)).get("/api/far")
    assert answer.status_code == 422
    assert answer.json() == {
        "code": "too_far",
        "message": "demo cannot reach 9.5 m",
        "parameters": {"robot": "demo", "x": 9.5},
    }


def test_an_error_of_our_own_is_logged_with_its_traceback_and_tells_nothing(
    app: FastAPI, caplog: pytest.LogCaptureFixture
) -> None:
    @app.get("/api/broken")
    def broken() -> None:
        raise RuntimeError("a secret of the server")

    with caplog.at_level(logging.ERROR, logger="armlab.server.failures"):
        answer = Asker(first_route(app)).get("/api/broken")
    assert (answer.status_code, answer.json()["code"]) == (500, "internal")
    assert "secret" not in answer.text
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert "a secret of the server" in caplog.text
    assert "Traceback" in caplog.text


def first_route(app: FastAPI) -> FastAPI:
    """Put the route added last before the page, which takes every path."""
    app.router.routes.insert(0, app.router.routes.pop())
    return app


@pytest.mark.parametrize(
    ("header", "number"),
    [("ru", "9,5"), ("uk-UA,uk;q=0.9", "9,5"), ("de, en;q=0.8", "9.5"), ("", "9.5"), ("ru;q=x", "9.5"), ("c", "9.5")],
)
def test_answers_are_in_the_language_that_the_request_accepts(app: FastAPI, header: str, number: str) -> None:
    @app.get("/api/far")
    def far() -> None:
        raise Unreachable("too_far", _("{robot} cannot reach {x:g} m"), robot="demo", x=9.5)

    answer = Asker(first_route(app)).get("/api/far", accept_language=header)
    assert number in answer.json()["message"]
