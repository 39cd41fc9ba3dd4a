import json
import urllib.error
import urllib.request
from http.client import HTTPException

from .failures import NoAnswer

TIMEOUT = 10


def ask(method, url, headers, body=None):
    """Returns status, headers and JSON of an answer, also of an error; throws NoAnswer without one."""
    data = None if body is None else json.dumps(body).encode()
    given = dict(headers, Accept="application/json")
    if data is not None:
        given["Content-Type"] = "application/json"
    request = urllib.request.Request(url, data=data, headers=given, method=method)
    try:
        try:
            response = urllib.request.urlopen(request, timeout=TIMEOUT)
        except urllib.error.HTTPError as error:
            response = error
        with response:
            return response.status, response.headers, json.loads(response.read())
    except (OSError, HTTPException, ValueError) as error:
        raise NoAnswer("No answer to %s %s: %s" % (method, url, error)) from error
