/** What the settings look at besides the board, and is to be looked at again after a change. */

export const TOKENS_KEY = ['tokens'] as const
export const SESSIONS_KEY = ['sessions'] as const
