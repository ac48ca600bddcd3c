/** An answer outside 2xx: `{reason, message}`. The vendor publishes no list of reasons. */
export class Refusal extends Error {
  readonly statusCode: number;
  readonly reason: string;

  constructor(statusCode: number, reason: string, message: string) {
    super(message);
    this.statusCode = statusCode;
    this.reason = reason;
  }
}
