/// The explanations of all kinds of problems: the content of the pages at `GET /problems/<slug>`.
package enum ProblemCatalog {
    package static let pages: [ProblemPage] = ProblemSlug.allCases.map(page(of:))

    /// Returns the page at `/problems/<slug>`, or `nil` if there is no such kind of problem.
    package static func page(named slug: some StringProtocol) -> ProblemPage? {
        ProblemSlug(rawValue: String(slug)).map(page(of:))
    }

    package static func page(of slug: ProblemSlug) -> ProblemPage {
        let lines = explanation(of: slug).split(separator: "\n").map(String.init)
        return ProblemPage(
            slug: slug,
            title: title(of: slug),
            meaning: lines.first ?? "",
            remedy: lines.last ?? ""
        )
    }

    static func title(of slug: ProblemSlug) -> String {
        switch slug {
        case .malformedJSON: "The body is not valid JSON"
        case .badRequest: "The request is not well formed"
        case .unauthorized: "Credentials are missing or not valid"
        case .forbidden: "You may not do this"
        case .notFound: "There is nothing here"
        case .methodNotAllowed: "The method is not possible here"
        case .timeout: "The request took too long to arrive"
        case .misdirected: "The request was meant for another host"
        case .refused: "The action was refused"
        case .gone: "That version is no longer kept"
        case .versionMismatch: "The state has moved on"
        case .tooLarge: "The body is too large"
        case .uriTooLong: "The request target is too long"
        case .headersTooLarge: "The headers are too large"
        case .unsupportedMediaType: "The body has the wrong type"
        case .unknownAction: "There is no such action"
        case .invalidPayload: "A value does not fit the action"
        case .idempotencyMismatch: "This idempotency key was used for something else"
        case .effectFailed: "The work that follows the action has failed"
        case .viewFailed: "The view can't be made"
        case .versionUnreadable: "This version can't be made again"
        case .tooManyRequests: "You have sent too many requests"
        case .overloaded: "The server is at its limit"
        case .draining: "The server is stopping or starting"
        case .streamLimit: "All streams are taken"
        case .httpVersionNotSupported: "The version of HTTP is not served"
        case .storageFull: "There is no room to store the action"
        }
    }

    /// Returns the meaning of the problem and its remedy, with an empty line between them.
    private static func explanation(of slug: ProblemSlug) -> String {
        switch slug {
        case .malformedJSON:
            """
            The body was read strictly as RFC 8259 says: UTF-8, no duplicate member names, no \
            comments, no trailing commas, nested at most 64 deep. The member "offset" is the \
            number of bytes before the fault.

            Look at the body at that offset. Let a JSON library write it instead of joining \
            strings, and check that the shell did not change quotes or backslashes.
            """
        case .badRequest:
            """
            The request line, the query, a header or the framing of the body is not valid for HTTP \
            or for this server. The member "detail" names the fault. If the end of the request is \
            in doubt, the connection is closed.

            Correct the fault that "detail" names. No part of the request was carried out.
            """
        case .unauthorized:
            """
            The server needs credentials. The request has none, or the server could not verify \
            them. The header "WWW-Authenticate" names the scheme that the server understands.

            Send valid credentials in the header "Authorization".
            """
        case .forbidden:
            """
            The server has identified the client, and this client has no right to do this. Other \
            credentials of the same person do not help.

            Ask the operator of the server for the right, or do something else.
            """
        case .notFound:
            """
            The path, the part of the state, or the version does not exist.

            GET /openapi.json lists all paths, GET /state shows the whole state. In a pointer, \
            write "~1" for "/" and "~0" for "~" within a name.
            """
        case .methodNotAllowed:
            """
            The path exists, but not for this method; the header "Allow" lists its methods. State \
            in particular is read-only: no PUT, PATCH, POST or DELETE reaches it.

            Use one of the methods in "Allow". To change state, dispatch an action: POST \
            /dispatch.
            """
        case .timeout:
            """
            The headers and the body must each be complete within a limited time, even if their bytes arrive steadily. The \
            connection was closed.

            Send the request again. If it always ends like this, the connection is too slow for a \
            body of this size: send less at once.
            """
        case .misdirected:
            """
            The header "Host" names neither a loopback address, nor the address that the server \
            listens on, nor a name that it accepts. This keeps web pages from reaching a local \
            server through a name of their own (DNS rebinding).

            Use the address at which the server listens. The operator can add more names with \
            --allowed-host, once for each.
            """
        case .refused:
            """
            The action was understood, and the rules of the store do not allow it in the present \
            state. "reason" has the reason; if there is a "pointer", it leads to the value in \
            question. Nothing was changed, and the version is the same as before.

            Read the state, and send an action that fits it. The same action may be accepted \
            later, in another state.
            """
        case .gone:
            """
            The server keeps the history up to a bound, and the requested version is older. The member "oldest" \
            is the first version that can still be read.

            Ask for "oldest" or a later version, or for the current state.
            """
        case .versionMismatch:
            """
            The header "If-Match" allows the request only at a certain version, and the state is \
            at another: "epoch" and "version" name it. Nothing was changed.

            Read the state again, decide whether the action still makes sense, and send it with \
            the new tag. If "epoch" has changed, a new history has begun: discard all old tags.
            """
        case .tooLarge:
            """
            The body is longer than the server takes. The member "limit" is the bound in bytes.

            Send several smaller requests. An array of actions may be split, if it need not be \
            applied as a whole.
            """
        case .uriTooLong:
            """
            Path and query together are longer than the server takes. The member "limit" is the \
            bound in bytes.

            Shorten the pointer or the query, or read a larger part of the state at once.
            """
        case .headersTooLarge:
            """
            All headers together are longer than the server takes, or there are more of them. The \
            member "limit" is the bound: bytes, or header fields, as the member "detail" says.

            Send fewer or shorter headers; cookies of other sites on the same host are a usual \
            cause.
            """
        case .unsupportedMediaType:
            """
            The server accepts a body only as JSON without compression. The header "Accept" of the \
            answer names the type.

            Send "Content-Type: application/json" and no "Content-Encoding". With curl, that is \
            --json, or -H 'Content-Type: application/json' beside --data.
            """
        case .unknownAction:
            """
            The "type" is none of the registered names. "known" lists them, and "nearest" is the \
            most similar of them.

            Use one of the names in "known", with the same upper and lower case. GET /schema \
            describes the payload of each.
            """
        case .invalidPayload:
            """
            The body is JSON, but a value is missing, has another type, or is out of the range \
            that its type holds. "pointer" leads to the value (RFC 6901), and "expected" describes \
            a valid one.

            Correct that value. GET /schema describes every action as JSON Schema, which can be \
            checked before sending.
            """
        case .idempotencyMismatch:
            """
            The header "Idempotency-Key" came with another body before. A key stands for one \
            request, so that it can be sent again safely.

            Use a fresh random key, a UUID say, for each new request, and repeat the key only with \
            exactly the same body.
            """
        case .effectFailed:
            """
            The action was applied and is durable, but the work that follows the action outside of \
            the state, its effect, threw an error or was cancelled. The members "epoch" and \
            "version" name the action, or for a use case the newest version by then, and "reason" \
            is the reason that the work gave.

            Do not send the action again without looking: it was applied. The state shows the \
            result, and GET /actions?cause=<version> the actions that the work had dispatched by \
            then.
            """
        case .viewFailed:
            """
            The program made a view of the state that has no JSON form: a number that JSON does \
            not have, or a link to an action that no client may dispatch. The state is as it was.

            The server's log has a line with the view and the reason, for the developer of the \
            program. Other views, and GET /state, can still be read.
            """
        case .versionUnreadable:
            """
            A past version is made again from the actions that led to it. The program of today \
            can't read one of them, or its reducer refuses it. The same request fails \
            again, until a later program can read and apply the action. The state of today is not \
            affected.

            Do not repeat the request. The server's log has a line with the action and the reason, \
            for the developer of the program. GET /state can still be read.
            """
        case .tooManyRequests:
            """
            Each client has a share of the requests, so that one client cannot slow down the others. Your share \
            is used up for the moment.

            Wait for the seconds in "Retry-After", then go on more slowly. Send several actions as \
            one array.
            """
        case .overloaded:
            """
            A queue or another bound is full because more requests come in than the server can \
            carry out. Nothing was applied.

            Send the request again after the seconds in "Retry-After", and longer after each \
            further try.
            """
        case .draining:
            """
            The server finishes the work that it has begun, and accepts no new work; or its \
            journal has failed, and it accepts no actions until it is started again. Nothing was \
            applied.

            Send the request again after the seconds in "Retry-After"; another instance may answer \
            it.
            """
        case .streamLimit:
            """
            The number of streams that are open at once has a bound, and it is reached. Other \
            requests are not affected.

            Try again after the seconds in "Retry-After", or poll: GET /state?after=N&wait=60 \
            answers with the next version.
            """
        case .httpVersionNotSupported:
            """
            The request line names a version of HTTP that the server does not speak. The server \
            speaks HTTP/1.1 and HTTP/1.0. The connection was closed.

            Send the request as HTTP/1.1; with curl, that is --http1.1. A proxy before the server \
            can speak other versions with clients.
            """
        case .storageFull:
            """
            The server answers an action only after it is stored, and the disk has no room for it. \
            Nothing was applied. State and streams can still be read.

            The operator of the server has to make room; then the server goes on by itself. Try \
            again after the seconds in "Retry-After".
            """
        }
    }
}
