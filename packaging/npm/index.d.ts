import type { ChildProcess } from "node:child_process";

export interface ServerOptions {
  /** Folder of the library; the default one of the command line if it is not given. */
  data?: string;
  /** Address and port; port 0, the default, takes a free one. */
  listen?: string;
  /** More variables of its environment, such as `IBID_CHAT`. */
  env?: Record<string, string>;
  /** More arguments of `ibid serve`. */
  args?: string[];
  /** Milliseconds that it may take to start; 60,000 if it is not given. */
  timeout?: number;
}

export interface Server {
  /** Where it answers, such as `http://127.0.0.1:41235`. */
  readonly url: string;
  readonly process: ChildProcess;
  /** Ends it; it may finish what it does for `patience` milliseconds (30,000 if it is not given). */
  close(patience?: number): Promise<void>;
}

/** The path of the program. Throws if there is none for this kind of machine. */
export function binaryPath(): string;

/** Starts a server and waits until it answers. */
export function startServer(options?: ServerOptions): Promise<Server>;
