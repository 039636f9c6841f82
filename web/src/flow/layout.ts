import type { Station, Way } from './model.ts';

export interface PlacedStation {
  readonly station: Station;
  readonly x: number;
  readonly y: number;
}

export interface Line {
  readonly points: readonly (readonly [number, number])[];
  /** The station that the line leads to; its traffic decides how thick it is. */
  readonly to: string | undefined;
  readonly isFault?: boolean;
  readonly title?: string;
}

export interface Picture {
  readonly width: number;
  readonly height: number;
  readonly stations: readonly PlacedStation[];
  readonly lines: readonly Line[];
  readonly bank: { readonly x: number; readonly y: number; readonly height: number };
  readonly titles: readonly { readonly text: string; readonly x: number; readonly y: number }[];
}

export const stationSize = { width: 176, height: 58 } as const;
const gap = { across: 24, along: 28 } as const;
const bankWidth = 96;
const margin = 24;

interface Block {
  readonly width: number;
  readonly height: number;
  readonly stations: readonly PlacedStation[];
  readonly lines: readonly Line[];
}

/** Stations of a lane from the top, branches beside each other below the station that divides them. */
function layLane(stations: readonly Station[]): Block {
  const blocks = stations.map(layStation);
  const width = Math.max(stationSize.width, ...blocks.map((block) => block.width));
  const placed: PlacedStation[] = [];
  const lines: Line[] = [];
  let y = 0;
  for (const [index, block] of blocks.entries()) {
    const x = (width - block.width) / 2;
    placed.push(...block.stations.map((each) => ({ ...each, x: each.x + x, y: each.y + y })));
    lines.push(...block.lines.map((line) => moved(line, x, y)));
    const next = stations[index + 1];
    if (next)
      lines.push({
        points: [
          [width / 2, y + block.height],
          [width / 2, y + block.height + gap.along],
        ],
        to: next.id,
      });
    y += block.height + (next ? gap.along : 0);
  }
  return { width, height: y, stations: placed, lines };
}

function layStation(station: Station): Block {
  const lanes = station.branches.map((branch) => ({ branch, block: layLane(branch.stations) }));
  if (lanes.length === 0) {
    return { ...stationSize, stations: [{ station, x: 0, y: 0 }], lines: [] };
  }
  const across = lanes.reduce((sum, { block }) => sum + block.width, 0) + gap.across * (lanes.length - 1);
  const width = Math.max(stationSize.width, across);
  const top = stationSize.height + gap.along * 1.5;
  const deep = Math.max(...lanes.map(({ block }) => block.height), 0);
  const height = top + deep + gap.along;
  const placed: PlacedStation[] = [{ station, x: (width - stationSize.width) / 2, y: 0 }];
  const lines: Line[] = [];
  const middle = width / 2;
  let x = (width - across) / 2;
  for (const { branch, block } of lanes) {
    const centre = x + block.width / 2;
    placed.push(...block.stations.map((each) => ({ ...each, x: each.x + x, y: each.y + top })));
    lines.push(...block.lines.map((line) => moved(line, x, top)));
    const fork = stationSize.height + gap.along / 2;
    const to = branch.stations[0]?.id;
    const down: readonly (readonly [number, number])[] = [
      [middle, stationSize.height],
      [middle, fork],
      [centre, fork],
      [centre, top],
    ];
    lines.push({ points: down, to, title: branch.title });
    lines.push({
      points: [
        [centre, top + block.height],
        [centre, height - gap.along / 2],
        [middle, height - gap.along / 2],
        [middle, height],
      ],
      to,
    });
    x += block.width + gap.across;
  }
  return { width, height, stations: placed, lines };
}

function moved(line: Line, x: number, y: number): Line {
  return { ...line, points: line.points.map(([a, b]) => [a + x, b + y] as const) };
}

/** The request down on the left, the back ends on the far bank, the response up beside it, faults as a side line. */
export function layWay(way: Way): Picture {
  const request = layLane(way.request);
  // The answer runs upwards: its first station stands lowest.
  const response = flipped(layLane(way.response));
  const fault = layLane(way.fault);
  const height = Math.max(request.height, response.height, stationSize.height) + margin * 2 + 24;
  const top = margin + 24;
  const bottom = height - margin;
  const xs = { request: margin, response: margin + request.width + gap.across * 2 };
  const hasFault = way.fault.length > 0;
  const bankX = xs.response + (way.response.length > 0 ? response.width + gap.across * 2 : gap.across);
  const faultX = bankX + bankWidth + gap.across * 2;
  const stations: PlacedStation[] = [];
  const lines: Line[] = [];
  const put = (block: Block, x: number, y: number): void => {
    stations.push(...block.stations.map((each) => ({ ...each, x: each.x + x, y: each.y + y })));
    lines.push(...block.lines.map((line) => moved(line, x, y)));
  };
  put(request, xs.request, top);
  const responseY = bottom - response.height;
  if (way.response.length > 0) put(response, xs.response, responseY);
  if (hasFault) {
    put(fault, faultX, top);
    lines.push({
      points: [
        [faultX - gap.across, top],
        [faultX, top + 20],
      ],
      to: way.fault[0]?.id,
      isFault: true,
    });
  }
  const bank = { x: bankX, y: top, height: Math.max(stationSize.height, bottom - top) };
  for (const { station, x, y } of stations) {
    if (!station.isBackEnd) continue;
    const line = y + stationSize.height / 2;
    lines.push({
      points: [
        [x + stationSize.width, line],
        [bank.x, line],
      ],
      to: station.id,
    });
  }
  if (way.response.length > 0) {
    const line = responseY + response.height - 16;
    lines.push({
      points: [
        [bank.x, line],
        [xs.response + response.width / 2 + stationSize.width / 2, line],
      ],
      to: way.response[0]?.id,
    });
  }
  return {
    width: (hasFault ? faultX + fault.width : bankX + bankWidth) + margin,
    height: Math.max(height, hasFault ? fault.height + top + margin : 0),
    stations,
    lines,
    bank,
    titles: [
      { text: 'request ↓', x: xs.request, y: margin },
      ...(way.response.length > 0 ? [{ text: 'response ↑', x: xs.response, y: margin }] : []),
      { text: 'back ends', x: bankX, y: margin },
      ...(hasFault ? [{ text: 'faults', x: faultX, y: margin }] : []),
    ],
  };
}

function flipped(block: Block): Block {
  return {
    ...block,
    stations: block.stations.map((each) => ({ ...each, y: block.height - each.y - stationSize.height })),
    lines: block.lines.map((line) => ({
      ...line,
      points: line.points.map(([x, y]) => [x, block.height - y] as const),
    })),
  };
}
