/** A model as shown in lists. */
export interface ListedModel {
  readonly id: string;
  readonly name: string;
}

/** The model with which a key of provider_b is tested: the cheapest. */
export const smallestModel = 'claude-haiku-5-5';

/** The models of providers of type provider_b, by id. Other models can be used as well: users enter their name. */
export const curatedModels: readonly ListedModel[] = [
  { id: 'claude-fable-5-2', name: 'Claude Fable 5.2' },
  { id: 'claude-haiku-4-5', name: 'Claude Haiku 4.5' },
  { id: smallestModel, name: 'Claude Haiku 5.5' },
  { id: 'claude-opus-4-8', name: 'Claude Opus 4.8' },
  { id: 'claude-opus-5', name: 'Claude Opus 5' },
  { id: 'claude-opus-5-5', name: 'Claude Opus 5.5' },
  { id: 'claude-sonnet-4-6', name: 'Claude Sonnet 4.6' },
  { id: 'claude-sonnet-5', name: 'Claude Sonnet 5' },
  { id: 'claude-sonnet-5-5', name: 'Claude Sonnet 5.5' },
];
