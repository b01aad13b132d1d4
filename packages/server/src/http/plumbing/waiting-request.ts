import type { FastifyRequest } from 'fastify';
import type { Expectation, RunResult } from '../../services/acceptance/result-waiters.ts';

/** The run's answer. A sender that hangs up is not waited for; its run goes on. */
export async function answerWhileOpen(request: FastifyRequest, { answer, abandon }: Expectation): Promise<RunResult> {
  const { socket } = request.raw;
  // While the run was accepted: nobody says so again.
  if (socket.destroyed) abandon();
  socket.once('close', abandon);
  try {
    return await answer;
  } finally {
    socket.off('close', abandon);
  }
}
