"""The queue trigger: takes messages, runs functions on them, gives them back, up or away."""

from .listener import ListenerContext, QueueListener, start_queues

__all__ = ["ListenerContext", "QueueListener", "start_queues"]
