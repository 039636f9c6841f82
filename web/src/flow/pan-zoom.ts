import { useEffect, useRef, useState, type PointerEvent, type RefObject } from 'react';

export interface Sight {
  readonly x: number;
  readonly y: number;
  readonly zoom: number;
}

const bounds = { least: 0.2, most: 2.5 } as const;
/** Below this nobody reads a station: a small screen begins at its first part instead. */
const readable = 0.6;

interface Place {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface PanZoom {
  readonly sight: Sight;
  readonly box: RefObject<HTMLDivElement | null>;
  /** Shows the whole picture, as large as it can be read. */
  readonly fit: () => void;
  readonly zoomBy: (factor: number) => void;
  readonly moveBy: (x: number, y: number) => void;
  /** Moves just so far that a place of the picture is seen. */
  readonly reveal: (place: Place) => void;
  readonly handlers: {
    onPointerDown(event: PointerEvent): void;
    onPointerMove(event: PointerEvent): void;
    onPointerUp(event: PointerEvent): void;
  };
}

/** A picture that is dragged, and zoomed by buttons, keys, or the wheel with Ctrl. */
export function usePanZoom(picture: { readonly width: number; readonly height: number }): PanZoom {
  const [sight, setSight] = useState<Sight>({ x: 0, y: 0, zoom: 1 });
  const box = useRef<HTMLDivElement>(null);
  const drag = useRef<{ x: number; y: number; isMoved: boolean }>(undefined);
  const zoomAt = (factor: number, at: readonly [number, number]): void =>
    setSight((before) => {
      const zoom = Math.min(bounds.most, Math.max(bounds.least, before.zoom * factor));
      const scale = zoom / before.zoom;
      return { zoom, x: at[0] - (at[0] - before.x) * scale, y: at[1] - (at[1] - before.y) * scale };
    });
  const middle = (): readonly [number, number] => [
    (box.current?.clientWidth ?? 0) / 2,
    (box.current?.clientHeight ?? 0) / 2,
  ];
  const fit = (): void => {
    const { clientWidth: width = 800, clientHeight: height = 500 } = box.current ?? {};
    const whole = Math.min(width / picture.width, height / picture.height);
    // A long way is read from its top rather than as a thread.
    const zoom = Math.min(1.1, Math.max(whole, Math.min(1, width / picture.width), readable));
    setSight({ zoom, x: Math.max(0, (width - picture.width * zoom) / 2), y: 0 });
  };
  useEffect(fit, [picture]);
  useEffect(() => {
    const element = box.current;
    const onWheel = (event: WheelEvent): void => {
      if (!element || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      const frame = element.getBoundingClientRect();
      zoomAt(Math.exp(-event.deltaY / 300), [event.clientX - frame.left, event.clientY - frame.top]);
    };
    // React listens passively, where the page's own zoom could not be kept from happening.
    element?.addEventListener('wheel', onWheel, { passive: false });
    return () => element?.removeEventListener('wheel', onWheel);
  }, []);
  return {
    sight,
    box,
    fit,
    zoomBy: (factor) => zoomAt(factor, middle()),
    moveBy: (x, y) => setSight((before) => ({ ...before, x: before.x + x, y: before.y + y })),
    reveal: (place) =>
      setSight((before) => {
        const { clientWidth = 0, clientHeight = 0 } = box.current ?? {};
        const along = (at: number, size: number, [shift, length]: readonly [number, number]): number => {
          const from = at * before.zoom + shift;
          if (from < 12) return shift - from + 12;
          const over = from + size * before.zoom - (length - 12);
          return over > 0 ? shift - over : shift;
        };
        return {
          ...before,
          x: along(place.x, place.width, [before.x, clientWidth]),
          y: along(place.y, place.height, [before.y, clientHeight]),
        };
      }),
    handlers: {
      onPointerDown(event) {
        if (event.button === 0) drag.current = { x: event.clientX, y: event.clientY, isMoved: false };
      },
      onPointerMove(event) {
        const from = drag.current;
        if (!from) return;
        const [x, y] = [event.clientX - from.x, event.clientY - from.y];
        if (!from.isMoved && Math.hypot(x, y) < 4) return;
        // Only what moves is held: a click stays a click on what it hit.
        if (!from.isMoved) event.currentTarget.setPointerCapture(event.pointerId);
        drag.current = { x: event.clientX, y: event.clientY, isMoved: true };
        setSight((before) => ({ ...before, x: before.x + x, y: before.y + y }));
      },
      onPointerUp() {
        drag.current = undefined;
      },
    },
  };
}
