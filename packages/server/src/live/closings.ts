/** Close codes of RFC 6455 that this side sends, with readable reasons. */
export const closings = {
  stopping: [1001, 'The service is stopping'],
  binary: [1003, 'Messages must be text'],
  token: [1008, 'Invalid or missing token'],
  crowd: [1008, 'Too many connections with this key'],
  userCrowd: [1008, 'Too many connections of this user'],
  access: [1008, 'Access to a channel has ended'],
  flood: [1008, 'Too many messages'],
  silent: [1008, 'No answer to ping'],
  unavailable: [1013, 'The service cannot check the token now'],
  slow: [1013, 'Too slow: the connection does not read its events'],
} as const satisfies Record<string, readonly [code: number, reason: string]>;

/** Why a connection ends. */
export type Closing = keyof typeof closings;
