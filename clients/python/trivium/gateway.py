"""A gateway with a session: what trainers need of datasets, and GraphQL for what REST has no path for."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any
from uuid import UUID

import httpx

from .rest import AuthenticatedClient

#: Header of the session on every path.
SESSION_HEADER = "X-service-csrf-token-X"

#: Seconds without a byte after which a request is given up.
PATIENCE = 120.0

_IDS = "query Ids($project: UUID!, $image: UUID!) { project(uuid: $project) { id } image(uuid: $image) { id } }"
_ANNOTATE = (
    "mutation Annotate($input: AnnotateImageInput!) { annotateImage(input: $input) "
    "{ __typename ... on UserError { code message } } }"
)


class GatewayError(Exception):
    """The gateway refused; `codes` are those of the envelope or of GraphQL."""

    def __init__(self, message: str, codes: list[str]) -> None:
        super().__init__(message)
        self.codes = codes


class Gateway:
    """A gateway with a session. `rest` is the client for every function of `trivium.rest.api`."""

    def __init__(self, base_url: str, token: str) -> None:
        self.rest = AuthenticatedClient(
            base_url=base_url.rstrip("/"),
            token=token,
            prefix="",
            auth_header_name=SESSION_HEADER,
            timeout=httpx.Timeout(PATIENCE),
        )

    @classmethod
    def sign_in(cls, base_url: str, login: str, password: str) -> Gateway:
        """Signs in with a password. Raises GatewayError."""
        with httpx.Client(base_url=base_url.rstrip("/"), timeout=PATIENCE) as http:
            answer = http.post("/session", json={"login": login, "password": password})
        body = _json(answer)
        if not isinstance(body.get("token"), str):
            raise _failure(answer, body)
        return cls(base_url, body["token"])

    def graphql(self, query: str, variables: dict[str, Any] | None = None) -> dict[str, Any]:
        """Runs a GraphQL document and returns its `data`. Raises GatewayError for the first of its errors."""
        sent = {"query": query, "variables": variables or {}}
        answer = self._http.post("/graphql", json=sent)
        body = _json(answer)
        errors = body.get("errors")
        if errors:
            codes = [str(error.get("extensions", {}).get("code", "")) for error in errors]
            raise GatewayError(str(errors[0].get("message")), codes)
        if not isinstance(body.get("data"), dict):
            raise _failure(answer, body)
        return body["data"]

    def upload(self, dataset: UUID | str, path: str | os.PathLike[str], name: str | None = None) -> UUID:
        """Uploads an image to a dataset that is not encrypted, piece by piece, and returns its id. Raises GatewayError."""
        # Not by the function that is generated: its boundary between the parts is always the same, and could be in a file.
        with open(path, "rb") as file:
            fields = {"DatasetId": str(dataset), "FileName": name or Path(path).name}
            answer = self._http.post("/api/Images/addImage", data=fields, files={"Image": file})
        body = _json(answer)
        if body.get("isSuccess") is not True:
            raise _failure(answer, body)
        return UUID(body["data"])

    def annotate(
        self,
        project: UUID | str,
        image: UUID | str,
        annotations: list[dict[str, Any]],
        expected_version: int | None = None,
    ) -> None:
        """
        Replaces the annotations of an image in a project, each with `className`, `shape` and `geometry`, and marks it as
        annotated. With the version of its review that you have read, nothing is overwritten that you have not seen. Raises
        GatewayError, with the code CONFLICT if somebody was faster.
        """
        ids = self.graphql(_IDS, {"project": str(project), "image": str(image)})
        for kind in ("project", "image"):
            if ids[kind] is None:
                raise GatewayError(f"{kind.capitalize()} not found", ["NOT_FOUND"])
        given: dict[str, Any] = {
            "projectId": ids["project"]["id"],
            "imageId": ids["image"]["id"],
            "annotations": annotations,
        }
        if expected_version is not None:
            given["expectedVersion"] = expected_version
        result = self.graphql(_ANNOTATE, {"input": given})["annotateImage"]
        if "code" in result:
            raise GatewayError(result["message"], [result["code"]])

    def export(self, project: UUID | str, path: str | os.PathLike[str], **options: str | int) -> None:
        """
        Writes a project to a ZIP archive, piece by piece. The options are those of GET /api/Projects/export: `dataFilter`
        (by default Annotated), `format`, `split`, `seed`. Leaves no file if it fails. Raises GatewayError.
        """
        asked = {"projectId": str(project), "dataFilter": "Annotated", **options}
        part = Path(f"{os.fspath(path)}.part")
        try:
            with self._http.stream("GET", "/api/Projects/export", params=asked) as answer:
                if answer.status_code != httpx.codes.OK:
                    answer.read()
                    raise _failure(answer, _json(answer))
                with part.open("wb") as file:
                    for piece in answer.iter_bytes():
                        file.write(piece)
            part.replace(path)
        finally:
            part.unlink(missing_ok=True)

    @property
    def _http(self) -> httpx.Client:
        return self.rest.get_httpx_client()


def _json(answer: httpx.Response) -> dict[str, Any]:
    try:
        body = answer.json()
    except ValueError:
        return {}
    return body if isinstance(body, dict) else {}


def _failure(answer: httpx.Response, body: dict[str, Any]) -> GatewayError:
    message = body.get("errorMessage") or body.get("response") or f"the gateway answered {answer.status_code}"
    codes = body.get("errorCodes") or ([body["errorCode"]] if "errorCode" in body else [])
    return GatewayError(str(message), [str(code) for code in codes])
