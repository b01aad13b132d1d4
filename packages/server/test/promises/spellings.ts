/** The four bytes in each base in which a URL may have them. */
const octets = (bytes: readonly number[]): string[] => {
  const [a = 0, b = 0, c = 0, d = 0] = bytes;
  const whole = ((a << 24) | (b << 16) | (c << 8) | d) >>> 0;
  const last3 = (b << 16) | (c << 8) | d;
  const last2 = (c << 8) | d;
  const bases = [
    (n: number) => String(n),
    (n: number) => `0x${n.toString(16)}`,
    (n: number) => `0X${n.toString(16).toUpperCase()}`,
    (n: number) => `0${n.toString(8)}`,
    (n: number) => `000${n.toString(8)}`,
  ];
  return bases.flatMap((base) => [
    bytes.map(base).join('.'),
    base(whole),
    [base(a), base(last3)].join('.'),
    [base(a), base(b), base(last2)].join('.'),
    [base(a), String(b), base(c), `0x${d.toString(16)}`].join('.'),
  ]);
};

/** The forms in which IPv6 can have the bytes of an IPv4 address. */
const embedded = (bytes: readonly number[]): string[] => {
  const dotted = bytes.join('.');
  const [a = 0, b = 0, c = 0, d = 0] = bytes;
  const hex = `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`;
  const prefixes = ['::ffff:', '::', '0:0:0:0:0:ffff:', '::ffff:0:', '64:ff9b::', '64:ff9b:1::'];
  return [...prefixes.flatMap((prefix) => [`[${prefix}${dotted}]`, `[${prefix}${hex}]`]), `[2002:${hex}::]`];
};

const loopback6 = ['[::1]', '[0:0:0:0:0:0:0:1]', '[0000::0001]', '[::0001]', '[::1%25lo]'];
const names = ['localhost', 'LOCALHOST', 'localhost.', 'a.localhost', 'ip6-localhost'];

/** Fullwidth digits and dots, which a URL parser maps to the usual ones. */
const fullwidth = (text: string): string =>
  text.replaceAll(/[0-9]/g, (digit) => String.fromCodePoint(0xff10 + Number(digit))).replaceAll('.', '。');
const percentEncoded = (text: string): string =>
  text.replaceAll(/[0-9.]/g, (character) => `%${character.charCodeAt(0).toString(16)}`);

/** URLs that mean a private address, or that a careless parser would take for one, with the port. */
export function spellingsOf(port: number): readonly string[] {
  const addresses = [
    [127, 0, 0, 1],
    [127, 1, 2, 3],
    [10, 0, 0, 1],
    [169, 254, 169, 254],
    [192, 168, 0, 1],
    [172, 16, 0, 1],
  ];
  const plain = addresses.flatMap((bytes) => [...octets(bytes), ...embedded(bytes)]);
  const dressed = ['127.0.0.1', '2130706433', '0x7f.1', '10.0.0.1'].flatMap((host) => [
    fullwidth(host),
    percentEncoded(host),
    `${host}.`,
    `user:password@${host}`,
    `example.com@${host}`,
  ]);
  const hosts = [...plain, ...dressed, ...loopback6, ...names, '0', '0.0.0.0', '[::]'];
  return hosts
    .flatMap((host) => [`http://${host}:${port}/`])
    .concat(
      ['127.0.0.1', 'localhost', '[::1]'].flatMap((host) => [
        `HTTP://${host}:${port}`,
        `http:\\\\${host}:${port}\\`,
        `http:${host}:${port}`,
        `http:///${host}:${port}`,
        ` http://${host}:${port}/`,
        `http://${host}:${port}?a=http://example.com/`,
        `http://${host}:${port}#@example.com/`,
        `https://${host}:${port}/`,
      ]),
    );
}
