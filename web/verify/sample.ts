/** A game with its receipts, to try the checker on. The build puts both here. */
declare const SAMPLE: string;

export const sample: { record: string; receipts: string } = JSON.parse(SAMPLE);
