import type { Station, Way } from './model.ts';

export interface PlacedStation {
  readonly station: Station;
  readonly x: number;
  readonly y: number;
}

type Point = readonly [x: number, y: number];

export interface Line {
  readonly points: readonly Point[];
  /** The station that the line leads to; its traffic decides how thick it is. */
  readonly to: string | undefined;
  readonly form: 'way' | 'fault' | 'call';
  readonly title?: string;
}

/** A back end on the far bank. */
export interface Landing {
  readonly name: string;
  readonly x: number;
  readonly y: number;
}

export interface Picture {
  readonly width: number;
  readonly height: number;
  readonly stations: readonly PlacedStation[];
  readonly lines: readonly Line[];
  readonly landings: readonly Landing[];
  /** Where the bank begins; undefined without back ends. */
  readonly bank: number | undefined;
  /** Where messages come from, leave, and what the lanes are called. */
  readonly marks: readonly {
    readonly text: string;
    readonly x: number;
    readonly y: number;
    readonly form: 'client' | 'lane';
  }[];
}

export const stationSize = { width: 172, height: 60 } as const;
export const landingSize = { width: 140, height: 32 } as const;
export const clientSize = { width: 72, height: 24 } as const;
const gap = { across: 24, along: 32 } as const;
/** Between the lanes: calls and answers run here. */
const between = 36;
const margin = 20;

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
    if (next) {
      const from = y + block.height;
      lines.push({
        form: 'way',
        points: [
          [width / 2, from],
          [width / 2, from + gap.along],
        ],
        to: next.id,
      });
    }
    y += block.height + (next ? gap.along : 0);
  }
  return { width, height: y, stations: placed, lines };
}

function layStation(station: Station): Block {
  const lanes = station.branches.map((branch) => ({ branch, block: layLane(branch.stations) }));
  if (lanes.length === 0) return { ...stationSize, stations: [{ station, x: 0, y: 0 }], lines: [] };
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
    const to = branch.stations[0]?.id;
    const fork = stationSize.height + gap.along / 2;
    const join = height - gap.along / 2;
    lines.push(
      {
        form: 'way',
        title: branch.title,
        to,
        points: [
          [middle, stationSize.height],
          [middle, fork],
          [centre, fork],
          [centre, top],
        ],
      },
      {
        form: 'way',
        to,
        points: [
          [centre, top + block.height],
          [centre, join],
          [middle, join],
          [middle, height],
        ],
      },
    );
    x += block.width + gap.across;
  }
  return { width, height, stations: placed, lines };
}

function moved(line: Line, x: number, y: number): Line {
  return { ...line, points: line.points.map(([a, b]) => [a + x, b + y] as const) };
}

/** The request down on the left, the answer up beside it, faults as a side line, back ends on the far bank. */
export function layWay(way: Way): Picture {
  const top = margin * 2 + clientSize.height + gap.along / 2;
  const stations: PlacedStation[] = [];
  const lines: Line[] = [];
  const marks: { text: string; x: number; y: number; form: 'client' | 'lane' }[] = [];
  const blocks = { request: layLane(way.request), response: flipped(layLane(way.response)), fault: layLane(way.fault) };
  const height = Math.max(...Object.values(blocks).map((block) => block.height), stationSize.height);
  let x = margin;
  const put = (lane: 'request' | 'response' | 'fault', title: string): number | undefined => {
    const block = blocks[lane];
    if (way[lane].length === 0) return undefined;
    // The answer leaves at the top: a short one hangs there too.
    stations.push(...block.stations.map((each) => ({ ...each, x: each.x + x, y: each.y + top })));
    lines.push(
      ...block.lines.map((line) => ({ ...moved(line, x, top), ...(lane === 'fault' && { form: 'fault' as const }) })),
    );
    const centre = x + block.width / 2;
    const at = margin + clientSize.height;
    const beside = lane === 'fault' ? 8 : clientSize.width / 2 + 8;
    marks.push({ text: title, x: centre + beside, y: margin + 16, form: 'lane' });
    if (lane !== 'fault') marks.push({ text: 'client', x: centre - clientSize.width / 2, y: margin, form: 'client' });
    if (lane === 'request')
      lines.push({
        form: 'way',
        to: way.request[0]?.id,
        points: [
          [centre, at],
          [centre, top],
        ],
      });
    if (lane === 'response')
      lines.push({
        form: 'way',
        to: way.response.at(-1)?.id,
        points: [
          [centre, top],
          [centre, at],
        ],
      });
    if (lane === 'fault')
      lines.push({
        form: 'fault',
        to: way.fault[0]?.id,
        points: [
          [centre, margin + 8],
          [centre, top],
        ],
      });
    x += block.width + between;
    return centre;
  };
  put('request', 'request');
  const answers = put('response', 'answer');
  put('fault', 'when it fails');
  const landings = land(stations, { x: x + 24, top, lines });
  if (answers !== undefined && landings.length > 0) {
    const bottom = top + blocks.response.height;
    const y = top + height + gap.along / 2;
    lines.push({
      form: 'way',
      to: way.response[0]?.id,
      points: [
        [x, y],
        [answers, y],
        [answers, bottom],
      ],
    });
  }
  const bank = landings.length > 0 ? x : undefined;
  if (bank !== undefined) marks.push({ text: 'back ends', x: bank + 24, y: margin + 16, form: 'lane' });
  return {
    width: bank === undefined ? x - between + margin : bank + 24 + landingSize.width + margin,
    height: Math.max(top + height + gap.along, ...landings.map(({ y }) => y + landingSize.height)) + margin,
    stations,
    lines,
    landings,
    bank,
    marks,
  };
}

/** Puts each back end once on the bank, near the first station that calls it, and leads every call there below the stations. */
function land(
  stations: readonly PlacedStation[],
  { x, top, lines }: { readonly x: number; readonly top: number; readonly lines: Line[] },
): Landing[] {
  const calling = stations.filter(({ station }) => station.backEnd !== undefined).toSorted((a, b) => a.y - b.y);
  const landings: Landing[] = [];
  let free = top;
  for (const { station, y } of calling) {
    const name = station.backEnd ?? '';
    if (landings.some((landing) => landing.name === name)) continue;
    const landing = { name, x, y: Math.max(free, y + 14) };
    landings.push(landing);
    free = landing.y + landingSize.height + 12;
  }
  const rows = new Map<number, number>();
  for (const [index, { station, x: left, y }] of calling.entries()) {
    const landing = landings.find(({ name }) => name === station.backEnd);
    if (!landing) continue;
    const inRow = rows.get(y) ?? 0;
    rows.set(y, inRow + 1);
    const below = y + stationSize.height + 6 + (inRow % 3) * 5;
    const right = left + stationSize.width - 18;
    const turn = x - 8 - (index % 4) * 5;
    const to = landing.y + landingSize.height / 2;
    lines.push({
      form: 'call',
      to: station.id,
      points: [
        [right, y + stationSize.height],
        [right, below],
        [turn, below],
        [turn, to],
        [x, to],
      ],
    });
  }
  return landings;
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
