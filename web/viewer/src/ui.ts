/** The page's elements, messages and progress. */
export const $ = <T extends HTMLElement>(id: string) => document.getElementById(id) as T;
export const number = (id: string) => Number($<HTMLInputElement>(id).value);
export const checked = (id: string) => $<HTMLInputElement>(id).checked;
export const choice = (name: string) => (document.querySelector(`input[name="${name}"]:checked`) as HTMLInputElement).value;
export const format = (value: number, digits = 1) => value.toLocaleString('en', { maximumFractionDigits: digits });

/** The answer to the last question. */
export function answer(text: string): void {
  $('answer').textContent = text;
}

export function fail(error: unknown): void {
  const alert = $('alert');
  alert.textContent = error instanceof Error ? error.message : String(error);
  alert.hidden = false;
}

/** Run long work: after a moment a bar appears, with a button that ends the worker (and starts another). */
export async function busy<R>(text: string, work: () => Promise<R>): Promise<R> {
  const timer = setTimeout(() => {
    $('busy-text').textContent = text;
    $('busy').hidden = false;
  }, 400);
  try {
    return await work();
  } finally {
    clearTimeout(timer);
    $('busy').hidden = true;
  }
}

/** Run what a button starts: its errors are shown. */
export function attempt(work: () => unknown): void {
  void (async () => work())().catch(fail);
}

export function download(name: string, data: BlobPart, type: string): void {
  const link = Object.assign(document.createElement('a'), { href: URL.createObjectURL(new Blob([data], { type })), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}
