import type { FastifyRequest } from 'fastify';
import type { Expectation, RunResult } from '../../services/acceptance/result-waiters.ts';

/** Waits for the answer of the run, unless the sender disconnects; the run then continues. */
export async function answerWhileOpen(request: FastifyRequest, { answer, abandon }: Expectation): Promise<RunResult> {
  const { socket } = request.raw;
  // If the sender disconnected while the run was accepted, no event follows.
  if (socket.destroyed) abandon();
  socket.once('close', abandon);
  try {
    return await answer;
  } finally {
    socket.off('close', abandon);
  }
}

/** Does work for as long as the sender waits for the answer: the signal is aborted when it disconnects. */
export async function whileOpen<Result>(
  { raw: { socket } }: FastifyRequest,
  work: (gone: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const gone = new AbortController();
  const leave = (): void => gone.abort();
  if (socket.destroyed) leave();
  socket.once('close', leave);
  try {
    return await work(gone.signal);
  } finally {
    socket.off('close', leave);
  }
}
