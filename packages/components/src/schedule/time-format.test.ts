import { expect, test } from 'vitest';
import { timeFormatIssue } from './time-format.ts';

test.each([
  ['YYYY-MM-DD', "'YYYY' is not a token: write yyyy"],
  ['DD.MM.yyyy', "'DD' is a whole date: write dd for the day"],
  ['yyyy-mm-dd', "'mm' are minutes: write MM for the month"],
  ['HH:MM', "'MM' is the month: write mm for minutes"],
  ['yyyy-MM-ddTHH:mm:ss', "'T' between date and time must be in quotes: 'T'"],
  ['HH:mm Uhr', "'U' is not a token of a time: put other text in quotes"],
  ['dddd', "'dddd' is not a token: write cccc"],
  ['hh:mm A', "'A' is not a token: write a"],
])('the format %s is a mistake: %s', (format, issue) => {
  expect(timeFormatIssue(format)).toBe(issue);
});

test.each([
  'yyyy-MM-dd',
  "yyyy-MM-dd'T'HH:mm:ss.SSSZZ",
  "cccc, d LLLL yyyy 'at' HH:mm",
  "HH:mm 'Uhr'",
  'HH:mm',
  'DD',
  'T',
  'mm:ss',
  'MM/dd',
  'yyyyMMddHHmmss',
  "kkkk-'W'WW-c",
  'X',
  '年MM月dd日',
])('the format %s is one', (format) => {
  expect(timeFormatIssue(format)).toBeNull();
});
