import { describe, expect, it } from 'vitest';
import { gitEventName, isWantedGitEvent } from './git-events.ts';

const push = { ref: 'refs/heads/main' };
const onMain = { events: ['*'], branches: ['main'] };

describe('the name of an event', () => {
  it.each([
    ['push', 'push'],
    ['Push Hook', 'push'],
    ['Tag Push Hook', 'tag_push'],
    ['Merge Request Hook', 'merge_request'],
    ['pull_request', 'pull_request'],
    [' System Hook ', 'system'],
  ])('%j is %j', (given, name) => {
    expect(gitEventName(given)).toBe(name);
  });
});

describe('a trigger starts for', () => {
  it('the events that its config names, in the form of either host', () => {
    const filter = { events: ['push', 'Merge Request Hook'], branches: [] };
    expect(isWantedGitEvent(filter, 'push', push)).toBe(true);
    expect(isWantedGitEvent(filter, 'merge_request', {})).toBe(true);
    expect(isWantedGitEvent(filter, 'ping', {})).toBe(false);
  });

  it('any event if it names *', () => {
    expect(isWantedGitEvent({ events: ['*'], branches: [] }, 'ping', null)).toBe(true);
  });

  it.each([
    ['a push', push],
    ['a new branch', { ref: 'main', ref_type: 'branch' }],
    ['a pull request', { pull_request: { base: { ref: 'main' }, head: { ref: 'topic' } } }],
    ['a merge request', { object_attributes: { source_branch: 'topic', target_branch: 'main' } }],
    ['a comment on a merge request', { object_attributes: { note: 'a' }, merge_request: { target_branch: 'main' } }],
    ['a pipeline', { object_attributes: { ref: 'main', tag: false } }],
    ['a job', { ref: 'main', tag: false }],
    ['a workflow run', { workflow_run: { head_branch: 'main' } }],
    ['a check run', { check_run: { check_suite: { head_branch: 'main' } } }],
  ])('%s whose branch matches', (_what, payload) => {
    expect(isWantedGitEvent(onMain, 'any', payload)).toBe(true);
    expect(isWantedGitEvent({ ...onMain, branches: ['release/*'] }, 'any', payload)).toBe(false);
  });

  it.each([
    ['a push of a tag', { ref: 'refs/tags/main' }],
    ['a new tag', { ref: 'main', ref_type: 'tag' }],
    ['a pipeline of a tag', { object_attributes: { ref: 'main', tag: true } }],
    ['an issue', { issue: { number: 1 } }],
    ['a payload that is no object', ['main']],
    ['a branch that is not text', { ref: { main: 1 } }],
  ])('no branch: %s', (_what, payload) => {
    expect(isWantedGitEvent(onMain, 'any', payload)).toBe(false);
  });
});
