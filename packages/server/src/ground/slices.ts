import { type SlicedWork, sliceMs } from '@millrace/core';
import { systemClock, systemTimers } from './clock.ts';

/** Performs one step of some work; true when the work is finished. */
type Step = () => boolean;

/** Small work: many requests that begin in the same turn take as long, whatever they ask for. */
const smallMs = 1;

/**
 * Shares the event loop between large pieces of work of many requests. In each turn of the loop they have one slice of
 * time together and take turns, so that a hundred of them delay other requests no more than one does.
 */
class Slices {
  #waiting: Step[] = [];

  /**
   * Does sliced work. It begins at once, so that small work does not wait.
   * @param perform does one step
   */
  finish<Result>(work: SlicedWork<Result>, perform: <T>(step: () => T) => T = (step) => step()): Promise<Result> {
    const next = () => perform(() => work.next());
    return new Promise((resolve, reject) => {
      const step = (): boolean => {
        try {
          const { done, value } = next();
          if (done === true) resolve(value);
          return done === true;
        } catch (error) {
          reject(error);
          return true;
        }
      };
      const end = systemClock.monotonic() + smallMs;
      while (!step()) if (systemClock.monotonic() > end) return this.#add(step);
    });
  }

  /** Resolves in a turn in which no other large work begins: what the caller does next is not divided into slices. */
  turn(): Promise<void> {
    return new Promise((resolve) => {
      this.#add(() => {
        resolve();
        return true;
      });
    });
  }

  #add(step: Step): void {
    this.#waiting.push(step);
    if (this.#waiting.length === 1) systemTimers.soon(() => this.#next());
  }

  #next(): void {
    const end = systemClock.monotonic() + sliceMs;
    for (let step = this.#waiting.shift(); step !== undefined; step = this.#waiting.shift()) {
      // What follows finished work, for example writing its result, belongs to the same turn.
      if (step()) break;
      this.#waiting.push(step);
      if (systemClock.monotonic() > end) break;
    }
    if (this.#waiting.length > 0) systemTimers.soon(() => this.#next());
  }
}

/** The slices of this process, which has one event loop. */
export const slices = new Slices();
