import { expect, test } from 'vitest';
import { dispositionName } from './disposition.ts';

test.each([
  ['attachment; filename="report.pdf"', 'report.pdf'],
  ['attachment; filename=report.pdf', 'report.pdf'],
  ['attachment; filename=annual report.pdf ; size=1', 'annual report.pdf'],
  ['attachment; FILENAME = report.pdf', 'report.pdf'],
  ['attachment; filename=', null],
  ['attachment;filename="a;b.pdf"; size=1', 'a;b.pdf'],
  ['attachment; filename="a \\"b\\".pdf"', 'a "b".pdf'],
  ['attachment; filename="na.txt"; filename*=UTF-8\'\'na%C3%AFve.txt', 'naïve.txt'],
  ['attachment; filename*=utf-8\'de\'%E2%82%AC%20rates.txt; filename="rates.txt"', '€ rates.txt'],
  ["attachment; filename*=ISO-8859-1''%A3.txt", '£.txt'],
  ['attachment; filename*=UTF-8\'\'%zz; filename="x.txt"', 'x.txt'],
  ["attachment; filename*=KOI8-R''%A3; filename=x.txt", 'x.txt'],
  ['attachment; filename="na\u00c3\u00afve 100%.txt"', 'naïve 100%.txt'],
  ['attachment; filename="\u00e4.txt"', 'ä.txt'],
  ['attachment; notfilename="x"', null],
  // A quoted text is no parameter, whatever it contains.
  ['attachment; filename="a; filename*=UTF-8\'\'evil.pdf"', "a; filename*=UTF-8''evil.pdf"],
  ['attachment; title="; filename=evil.pdf"; filename=a.pdf', 'a.pdf'],
  ['attachment; title="\\"; filename=evil.pdf"; filename="a.pdf"', 'a.pdf'],
  ["attachment; filename*=UTF-8''a.pdf; filename*=UTF-8''b.pdf", 'a.pdf'],
  ['attachment; filename*="UTF-8\'\'a.pdf"', 'a.pdf'],
  ['inline', null],
  ['', null],
])('the file name in %j is %j', (header, name) => {
  expect(dispositionName(header)).toBe(name);
});
