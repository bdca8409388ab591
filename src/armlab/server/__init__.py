"""The server of the page: FastAPI routes over the library, and nothing else; only this room knows FastAPI."""
