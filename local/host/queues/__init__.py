"""The queue trigger: takes messages, runs functions on them, gives them back, up or away."""

from .listener import QueueListener, start_queues

__all__ = ["QueueListener", "start_queues"]
