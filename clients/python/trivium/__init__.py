"""Client of a Trivium gateway."""

from .gateway import Gateway, GatewayError

__all__ = ["Gateway", "GatewayError"]
