import type { Instant } from '../../time.ts';

/** Characters of the name of a channel, of an id in it, of a name, and of an address. */
export const maxPersonText = 255;
/** People that the workflows of one owner know: messages of strangers must not fill the disk. */
export const maxPeople = 100_000;

/** A person that the workflows of one owner know. It is not a user of this service. */
export interface Person {
  readonly id: string;
  readonly name: string | null;
  /** In lower case. */
  readonly email: string | null;
  readonly createdAt: Instant;
}

/** A person with the ids by which channels know them. */
export interface KnownPerson extends Person {
  readonly identities: readonly { readonly channel: string; readonly externalId: string }[];
}

/** What is known about the sender of a message. */
export interface PersonSeen {
  /** Where the message came from, and the sender's id there. */
  readonly channel: string;
  readonly externalId: string;
  /** Null if it is not known: then what was stored earlier stays. */
  readonly name: string | null;
  /** In lower case. */
  readonly email: string | null;
  /** Whether a person with the same address is the same person. */
  readonly linkByEmail: boolean;
}

/** The person that a step has identified. */
export interface PersonFound {
  readonly person: Person;
  /** Whether this step stored the person; the same for each of its attempts. */
  readonly isNew: boolean;
}

/** The people that steps identify. */
export interface PeoplePort {
  /** @throws StepError `memory` if the person is new and there are too many */
  identify(seen: PersonSeen): Promise<PersonFound>;
}
