"""The queue trigger: takes messages, runs functions on them, gives them back, up or away."""

from .listener import QueueListener, Surroundings, start_queues

__all__ = ["QueueListener", "Surroundings", "start_queues"]
