"""rosbridge v2: `/joint_states` as JSON over a WebSocket, for roslibpy, roslibjs and what is built on them."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass, field
from typing import Any

from websockets.frames import Frame, Opcode
from websockets.http11 import Request
from websockets.protocol import State
from websockets.server import ServerProtocol

from armlab.bridges.listening import Client, ListeningPort
from armlab.bridges.publisher import LOOPBACK
from armlab.link.status import LinkStatus
from armlab.units import M_PER_MM, RAD_PER_DEG

TOPIC, KIND = "/joint_states", "sensor_msgs/JointState"
LONGEST_MESSAGE = 65536


@dataclass(slots=True, eq=False)
class _Peer:
    """A client and its half of the protocol."""

    client: Client
    protocol: ServerProtocol = field(default_factory=lambda: ServerProtocol(max_size=LONGEST_MESSAGE))
    is_subscribed: bool = False

    def say(self, message: dict[str, Any]) -> None:
        self.protocol.send_text(json.dumps(message).encode())


class RosbridgePublisher:
    """Publishes to those who subscribe; whoever has not taken the last frame gets no other until then."""

    def __init__(self, port: int) -> None:
        self.dropped = 0
        self._port = ListeningPort(port)
        self._peers: list[_Peer] = []
        self._latest: dict[str, Any] | None = None
        self._count = 0

    @property
    def address(self) -> str:
        """Where it listens."""
        return f"ws://{LOOPBACK}:{self._port.number}"

    def publish(self, status: LinkStatus) -> None:
        """Keep the latest; a joint that nobody knows is left out."""
        known = [joint for joint in status.joints if joint.value is not None]
        values = [(joint.value or 0.0) * (RAD_PER_DEG if joint.unit == "°" else M_PER_MM) for joint in known]
        seconds = time.time()
        self._count += 1
        stamp = {"secs": int(seconds), "nsecs": int(seconds % 1.0 * 1e9)}
        self._latest = {
            "header": {"seq": self._count, "stamp": stamp, "frame_id": ""},
            "name": [joint.name for joint in known],
            "position": values,
            "velocity": [],
            "effort": [],
        }

    def tick(self) -> None:
        """Take requests, and send the latest to those who want it."""
        client = self._port.accept(len(self._peers))
        if client is not None:
            self._peers.append(_Peer(client))
        latest, self._latest = self._latest, None
        for peer in list(self._peers):
            if not self._serve(peer, latest):
                peer.client.socket.close()
                self._peers.remove(peer)

    def _serve(self, peer: _Peer, latest: dict[str, Any] | None) -> bool:
        data = peer.client.read()
        if data is None:
            return False
        if data:
            peer.protocol.receive_data(data)
        for event in peer.protocol.events_received():
            if isinstance(event, Request):
                peer.protocol.send_response(peer.protocol.accept(event))
            elif isinstance(event, Frame) and event.opcode in {Opcode.TEXT, Opcode.BINARY}:
                self._take(peer, event.data)
        if latest is not None and peer.is_subscribed and peer.protocol.state is State.OPEN:
            if peer.client.waiting:
                self.dropped += 1
            else:
                peer.say({"op": "publish", "topic": TOPIC, "msg": latest})
        chunks = peer.protocol.data_to_send()
        peer.client.waiting += b"".join(chunks)
        peer.client.is_over |= b"" in chunks
        return peer.client.flush() and peer.protocol.state is not State.CLOSED

    def _take(self, peer: _Peer, data: bytes | bytearray | memoryview) -> None:
        try:
            asked = json.loads(bytes(data))
        except (ValueError, RecursionError):
            asked = None
        if not isinstance(asked, dict):
            peer.say({"op": "status", "level": "error", "msg": "not a JSON object"})
            return
        operation = asked.get("op")
        if operation in {"subscribe", "unsubscribe"} and asked.get("topic") == TOPIC:
            peer.is_subscribed = operation == "subscribe"
        elif operation == "call_service" and asked.get("service") == "/rosapi/topics":
            values = {"topics": [TOPIC], "types": [KIND]}
            answer = {"op": "service_response", "service": "/rosapi/topics", "result": True, "values": values}
            peer.say(answer | {"id": asked["id"]} if "id" in asked else answer)
        else:
            peer.say({"op": "status", "level": "error", "msg": f"only {TOPIC} is published; nothing is taken"})

    def stop(self) -> None:
        """Close all."""
        for peer in self._peers:
            peer.client.socket.close()
        self._peers.clear()
        self._port.close()
