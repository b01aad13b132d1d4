import { part } from './row.ts';

/** The requests of an `http_request` node. */
export const httpRequestRows = [
  part('The component http_request', 'components.http-request', [
    [
      'url.encoded',
      'values in the path, query and fragment of a `url` are percent-encoded',
      'http-requests.bodies: sends each value as one part of the URL, whatever it contains',
      'core/src/expression/config/url-template: is one segment of the path or one parameter, whatever characters it contains',
    ],
    [
      'url.single',
      'a `url` that is one single expression, and the part before the path, is used unchanged',
      'http-requests.bodies: that is one single expression is used unchanged',
      'core/src/expression/config/url-template: is used as it is, or encoded once: %s',
    ],
    [
      'url.dots',
      'a value is never a `.` or `..` segment',
      'core/src/expression/config/url-template: never leads to another path as a segment of dots',
    ],
    [
      'body.form',
      'an object of type `application/x-www-form-urlencoded` is sent as a form',
      'http-requests.bodies: application/x-www-form-urlencoded is a form, whatever its names and values contain',
    ],
    [
      'body.multipart',
      'an object of type `multipart/form-data` is sent as fields and files',
      'http-requests.bodies: multipart/form-data has fields and files, byte for byte',
    ],
    [
      'body.file',
      'a file value is sent as its bytes, whatever its size',
      'http-requests.bodies: that one request fetches is sent by the next, even if it is too large for the journal',
    ],
    [
      'user-agent',
      '`User-Agent` is `Millrace/<version>`, unless a header sets it',
      'http-requests.bodies: contains the service and its version',
      'http-requests.bodies: is the one that the node sets',
    ],
  ]),
];
