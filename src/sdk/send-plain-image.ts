import { sendForData, type Gateway } from './gateway.ts';

/** Sends an image as it is to a dataset of a workspace that is not encrypted; returns the id. Throws GatewayError. */
export async function sendPlainImage(
  gateway: Gateway,
  image: {
    datasetId: string;
    fileName: string;
    /** Where it was below the folder that is uploaded. */
    path: string;
    bytes: Uint8Array;
  },
): Promise<string> {
  const form = new FormData();
  form.set('DatasetId', image.datasetId);
  form.set('FileName', image.fileName);
  form.set('Path', image.path);
  form.set('Image', new Blob([Uint8Array.from(image.bytes)]), 'image');
  return String(await sendForData(gateway, '/api/Images/addImage', { method: 'POST', body: form }));
}
