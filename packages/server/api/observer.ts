import type { FastifyReply, FastifyRequest } from 'fastify'

/** What wants to know of every answer: the log and the figures. */
export interface RequestObserver {
  answered(request: FastifyRequest, reply: FastifyReply): void
}
