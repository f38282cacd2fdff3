import { Problem } from "@/lib/problem";

/** Sends one file as a form. By XMLHttpRequest, because fetch() cannot say how much of a body has been sent. */
export function sendForm(
  url: string,
  file: File,
  onProgress: (sent: number) => void,
  signal: AbortSignal,
): Promise<{ status: number; body: unknown }> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("POST", url);
    request.responseType = "text";
    // The event also counts the multipart frame, so the file's share is scaled out of it.
    request.upload.onprogress = (event) => {
      if (event.lengthComputable) onProgress(Math.floor((event.loaded / event.total) * file.size));
    };
    request.upload.onload = () => onProgress(file.size);
    request.onload = () => {
      if (request.status === 200 || request.status === 201) {
        resolve({ status: request.status, body: JSON.parse(request.responseText) as unknown });
      } else {
        reject(Problem.fromBody(request.status, request.responseText, request.getResponseHeader("x-request-id")));
      }
    };
    request.onerror = () => reject(Problem.unreachable());
    request.onabort = () => reject(new DOMException("The upload was stopped.", "AbortError"));
    signal.addEventListener("abort", () => request.abort(), { once: true });

    const form = new FormData();
    form.append("file", file, file.name);
    request.send(form);
  });
}
