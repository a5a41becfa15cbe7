/** What a load measured, and how figures of several rounds become one. */

export interface Figures {
  requestsPerSecond: number
  p50Ms: number
  p99Ms: number
}

/** Where nothing was answered in all the time of the window, that time stands for the latencies. */
export function figuresOf(latenciesMs: readonly number[], windowMs: number): Figures {
  const sorted = Float64Array.from(latenciesMs).sort()
  const quantile = (share: number) => sorted[Math.floor(sorted.length * share)] ?? windowMs
  return { requestsPerSecond: (sorted.length / windowMs) * 1000, p50Ms: quantile(0.5), p99Ms: quantile(0.99) }
}

export function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] as number
}

export function medians(rounds: readonly Figures[]): Figures {
  return {
    requestsPerSecond: median(rounds.map((round) => round.requestsPerSecond)),
    p50Ms: median(rounds.map((round) => round.p50Ms)),
    p99Ms: median(rounds.map((round) => round.p99Ms)),
  }
}
