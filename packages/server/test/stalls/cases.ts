import { seededRandom } from '../sim/seeded-random.ts';
import { answerCases } from './answer-cases.ts';
import { credentialCases } from './credential-cases.ts';
import { dslCases } from './dsl-cases.ts';
import { expressionCases } from './expression-cases.ts';
import { graphCases } from './graph-cases.ts';
import { modelCases } from './model-cases.ts';
import { outputCases } from './output-cases.ts';
import { payloadCases } from './payload-cases.ts';
import { queryCases } from './query-cases.ts';
import { requestCases } from './request-cases.ts';
import { ruleCases } from './rule-cases.ts';
import { schemaCases } from './schema-cases.ts';
import { diceOf, type MakeCase, type StallCase } from './stall-case.ts';

const makers: readonly MakeCase[] = [
  ...expressionCases,
  ...ruleCases,
  ...answerCases,
  ...payloadCases,
  ...requestCases,
  ...queryCases,
  ...dslCases,
  ...schemaCases,
  ...graphCases,
  ...credentialCases,
  ...modelCases,
  ...outputCases,
];

/** A small case takes some milliseconds, and still shows an algorithm that is quadratic. */
const smallScale = 0.04;
/** One case in so many has full size: a prime number, so that it is another kind each time. */
const fullEvery = 101;

/** The case of a seed. In a check of the code most cases are small. */
export function caseOf(seed: number, sizes: 'full' | 'mixed'): StallCase {
  const make = makers[seed % makers.length];
  if (make === undefined) throw new Error('there are no cases');
  const isFull = sizes === 'full' || seed % fullEvery === 0;
  return make(diceOf(seededRandom(seed), isFull ? 1 : smallScale));
}
