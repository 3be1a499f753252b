/** A `Date` whose present is ahead of the machine's. Preloaded by child processes of specs that live at another time. */
export function shiftedDate(RealDate, offsetMs) {
  return class Date extends RealDate {
    constructor(...args) {
      if (args.length === 0) super(RealDate.now() + offsetMs);
      else super(...args);
    }

    static now() {
      return RealDate.now() + offsetMs;
    }
  };
}

const { NDS_CLOCK_OFFSET_MS } = process.env;
if (NDS_CLOCK_OFFSET_MS !== undefined) globalThis.Date = shiftedDate(Date, Number(NDS_CLOCK_OFFSET_MS));
