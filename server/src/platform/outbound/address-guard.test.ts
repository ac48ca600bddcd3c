import { createServer } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { isPublicAddress, PrivateAddressError, resolvePublicly } from './address-guard.ts';
import { createOutboundClient, OutboundError } from './outbound-client.ts';

/** Listens on loopback, where nothing must arrive. */
let inside: Server;
let port: number;
let connections = 0;
const sockets = new Set<Socket>();

beforeAll(async () => {
  inside = createServer((socket) => {
    connections += 1;
    socket.end('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n', () => socket.destroySoon());
    sockets.add(socket);
  });
  await new Promise<void>((resolve) => inside.listen(0, '127.0.0.1', resolve));
  port = (inside.address() as AddressInfo).port;
});
afterAll(async () => {
  for (const socket of sockets) socket.destroy();
  await new Promise((resolve) => inside.close(resolve));
});

const ipv4 = `
  127.0.0.1 127.1 127.0.1 127.255.255.254 127.0.0.2 2130706433 017700000001 0x7f000001 0x7f.1 0x7f.0.0.1
  0177.0.0.1 0177.1 127.0.0.1. %31%32%37.0.0.1 0 0.0.0.0 0.0.0.1 0x0 00000000 10.0.0.1 10.255.255.255 10.1
  167772161 0xa000001 012.0.0.1 172.16.0.1 172.31.255.255 172.20.10.5 2886729729 192.168.0.1 192.168.1.254
  192.168.65535 3232235777 0xc0a80101 169.254.169.254 2852039166 0xa9fea9fe 0251.0376.0251.0376 169.254.0.1
  169.254.170.2 100.64.0.1 100.100.100.200 100.127.255.255 192.0.0.1 192.0.0.192 192.0.2.1 198.18.0.1
  198.19.255.255 198.51.100.7 203.0.113.9 192.88.99.1 224.0.0.1 239.255.255.250 240.0.0.1 255.255.255.255
  4294967295 192.31.196.1 192.52.193.1 192.175.48.1 １２７.０.０.１ 127。0。0。1`
  .trim()
  .split(/\s+/);
const ipv6 = `
  ::1 :: 0:0:0:0:0:0:0:1 0000::1 ::ffff:127.0.0.1 ::ffff:7f00:1 ::ffff:10.0.0.1 ::ffff:169.254.169.254
  ::ffff:a9fe:a9fe ::127.0.0.1 ::7f00:1 64:ff9b::127.0.0.1 64:ff9b::a9fe:a9fe 64:ff9b:1::1 2002:7f00:1::
  2002:a00:1::1 2002:a9fe:a9fe::1 2001::1 2001:0:7f00:1:: 2001:db8::1 fc00::1 fd00::1 fd00:ec2::254 fe80::1
  febf::1 fec0::1 ff02::1 ff0e::1 100::1 3fff::1`
  .trim()
  .split(/\s+/)
  .map((address) => `[${address}]`);
/** What a name server says of names that somebody else owns. */
const names: Readonly<Record<string, readonly string[]>> = {
  localhost: ['127.0.0.1'],
  LOCALHOST: ['127.0.0.1'],
  'localhost.': ['127.0.0.1'],
  'printer.local': ['192.168.1.7'],
  'metadata.internal': ['169.254.169.254'],
  'loopback.attacker.example': ['127.0.0.1'],
  'loopback6.attacker.example': ['::1'],
  'mapped.attacker.example': ['::ffff:127.0.0.1'],
  'scoped.attacker.example': ['fe80::1%lo'],
  'one-of-two.attacker.example': ['8.8.8.8', '127.0.0.1'],
  'last-of-three.attacker.example': ['2606:4700::1111', '1.1.1.1', '10.0.0.3'],
  'nothing.attacker.example': [],
};
const hosts = [...ipv4, ...ipv6, ...Object.keys(names)];

const answers = (addresses: readonly string[]) =>
  addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
const resolve = async (name: string) => answers(names[name] ?? names[name.toLowerCase()] ?? ['127.0.0.1']);

describe('an outbound client for URLs of others', () => {
  it('has at least a hundred ways in to refuse', () => {
    expect(hosts.length).toBeGreaterThanOrEqual(100);
  });

  it.each(hosts)('refuses http://%s before it connects', async (host) => {
    const client = createOutboundClient({ connections: 1, publicOnly: true, resolve });
    const before = connections;
    const sent = client.send({
      method: 'POST',
      url: `http://${host}:${port}/`,
      body: '{}',
      timeoutMs: 5_000,
    });
    const error = await sent.catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(OutboundError);
    expect(error).toMatchObject({ neverSent: true, cause: { code: 'PRIVATE_ADDRESS' } });
    expect(connections).toBe(before);
    await client.close();
  });

  it('refuses a name that was public when it was checked and is not when it is used', async () => {
    const said = [['8.8.8.8'], ['127.0.0.1']];
    const rebinding = async () => answers(said.shift() ?? ['127.0.0.1']);
    await expect(resolvePublicly('rebinding.attacker.example', rebinding)).resolves.toHaveLength(1);
    const client = createOutboundClient({ connections: 1, publicOnly: true, resolve: rebinding });
    const url = `http://rebinding.attacker.example:${port}/`;
    await expect(client.send({ method: 'GET', url, timeoutMs: 5_000 })).rejects.toMatchObject({
      cause: { code: 'PRIVATE_ADDRESS' },
    });
    await client.close();
    expect(connections).toBe(0);
  });

  it('asks once for each connection, and connects to what was checked', async () => {
    let asked = 0;
    // Public by its place, and nobody's: the second answer would lead inside.
    const rebinding = async () => answers((asked += 1) === 1 ? ['2000::1'] : ['127.0.0.1']);
    const client = createOutboundClient({ connections: 1, publicOnly: true, resolve: rebinding });
    const url = `http://rebinding.attacker.example:${port}/`;
    await expect(client.send({ method: 'GET', url, timeoutMs: 5_000 })).rejects.toThrow(OutboundError);
    await client.close();
    expect(asked).toBe(1);
    expect(connections).toBe(0);
  });

  it('is needed: another client reaches the inside', async () => {
    const client = createOutboundClient({ connections: 1 });
    const url = `http://127.0.0.1:${port}/`;
    expect((await client.send({ method: 'GET', url, timeoutMs: 5_000 })).status).toBe(200);
    await client.close();
    expect(connections).toBe(1);
  });
});

describe('public addresses', () => {
  it.each([
    '8.8.8.8',
    '1.1.1.1',
    '93.184.216.34',
    '172.32.0.1',
    '172.15.255.255',
    '100.128.0.1',
    '192.167.255.255',
  ])('include %s', (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });

  it.each(['2606:4700:4700::1111', '2a00:1450:4001::200e', '2001:4860:4860::8888'])(
    'include %s',
    (address) => {
      expect(isPublicAddress(address)).toBe(true);
    },
  );

  it('do not include what is no address', async () => {
    expect(isPublicAddress('example.com')).toBe(false);
    await expect(resolvePublicly('[::1]')).rejects.toThrow(PrivateAddressError);
  });
});
