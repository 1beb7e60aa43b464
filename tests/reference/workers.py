"""Two processes that train one model: each takes half of every batch, then both make the same step.

PyTorch's own threads meet after every single operation, which costs more than it gains on matrices this small (and nearly all when
the machine is busy). Here the processes meet once a step, to average gradients. The sum is taken in a fixed order,
so the result does not depend on timing.
"""

import os

import torch
from torch import multiprocessing

COUNT = 2


class Team:
    """One member's view: its rank, and the means to average gradients with the other."""

    def __init__(self, rank, buffers, barrier):
        self.rank, self.buffers, self.barrier = rank, buffers, barrier
        self.turn = 0

    def average_gradients(self, parameters, loss):
        """Replaces the gradients by their mean over the team; returns the mean of `loss` (a tensor of one value)."""
        parameters = list(parameters)
        # Two buffers in turn: nobody can overwrite what the other is still reading, with one meeting a step.
        shared = self.buffers[self.turn]
        self.turn ^= 1
        torch.cat([p.grad.flatten() for p in parameters] + [loss.detach().flatten()], out=shared[self.rank])
        self.barrier.wait()
        mean = sum(shared) / COUNT
        offset = 0
        for p in parameters:
            p.grad.copy_(mean[offset : offset + p.numel()].view_as(p))
            offset += p.numel()
        return float(mean[-1])

    def mine(self, batch):
        """This member's share of the rows of a batch tensor."""
        return batch[self.rank :: COUNT]


def _start(rank, work, buffers, barrier, arguments):
    torch.set_num_threads(1)
    try:
        work(Team(rank, buffers, barrier), *arguments)
    except BaseException:
        barrier.abort()  # the other must not wait for ever
        raise


def run(work, parameter_count, *arguments):
    """Calls work(team, *arguments) in COUNT processes and waits; a failure of one ends all."""
    context = multiprocessing.get_context("fork")
    buffers = [[torch.zeros(parameter_count + 1).share_memory_() for _ in range(COUNT)] for _ in range(2)]
    barrier = context.Barrier(COUNT)
    processes = [context.Process(target=_start, args=(rank, work, buffers, barrier, arguments)) for rank in range(COUNT)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    if any(process.exitcode for process in processes):
        raise SystemExit(f"training failed (process {os.getpid()})")
