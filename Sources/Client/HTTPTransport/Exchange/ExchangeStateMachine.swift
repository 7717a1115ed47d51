// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import HTTPTypes
import NIOCore

/// The state machine of an exchange: it decides how received parts are processed, whether the rest of the request is
/// sent, and when a silent peer times out.
struct ExchangeStateMachine {
    /// The medium of an exchange.
    enum Medium {
        /// An HTTP/1 connection, which can carry another exchange afterwards.
        case connection
        /// An HTTP/2 stream, which ends with the exchange.
        case stream
    }

    enum Phase: Hashable {
        case idle
        case awaitingHead
        /// The head has arrived, and is held until the read is complete, because most bodies arrive with it and are
        /// delivered together.
        case arriving(size: Int)
        case receiving
        case closed
    }

    /// The state of the request's upload.
    enum Upload {
        /// The complete request is written.
        case complete
        /// Further parts of the body will be sent.
        case waiting
        /// The body has no further parts, but some bytes are not written yet, for example because of the server's
        /// flow-control window.
        case leaving
        case unwanted
    }

    /// The maximum number of interim responses; each of them restarts the idle timeout.
    static let maximumInterimResponses = 64

    /// The maximum number of body bytes that are held until the read is complete.
    static let arrivalLimit = 64 * 1024

    let medium: Medium
    private(set) var phase = Phase.idle
    private(set) var upload = Upload.complete
    /// Whether the body's reader accepts more bytes.
    private(set) var hasCapacity = true
    private var keepsAlive = false
    private var interimCount = 0
    private var lastActivity = NIODeadline.distantPast

    init(_ medium: Medium) { self.medium = medium }

    // MARK: The request

    /// Starts an exchange.
    ///
    /// - Parameters:
    ///   - hasBodyToFollow: Whether parts of the request's body are sent later.
    ///   - now: The time of the event.
    /// - Returns: Whether the medium is idle, so that the exchange can start.
    mutating func start(hasBodyToFollow: Bool, now: NIODeadline) -> Bool {
        guard phase == .idle else { return false }
        phase = .awaitingHead
        upload = hasBodyToFollow ? .waiting : .leaving
        (hasCapacity, keepsAlive, interimCount, lastActivity) = (true, false, 0, now)
        return true
    }

    /// Returns whether a part of the body may be sent.
    mutating func sendPart(now: NIODeadline) -> Bool {
        guard upload == .waiting, phase != .closed else { return false }
        lastActivity = now
        return true
    }

    /// Returns whether the end of the body may be sent.
    mutating func sendEnd() -> Bool {
        guard upload == .waiting, phase != .closed else { return false }
        upload = .leaving
        return true
    }

    /// Notes that no part of the request is held back any longer, for example by the server's flow-control window.
    mutating func completeUpload() { upload = .complete }

    /// Notes that a part of the request was written: a peer that receives data is not silent.
    ///
    /// - Returns: Whether the wait for the response begins now.
    mutating func noteWritten(isLast: Bool, now: NIODeadline) -> Bool {
        lastActivity = now
        guard isLast else { return false }
        upload = .complete
        return phase == .awaitingHead
    }

    /// Notes that an identity was selected for the server, which could not respond before.
    mutating func noteSelection(now: NIODeadline) { lastActivity = now }

    // MARK: The response

    enum InformationAction {
        case ignore
        /// The server requests the body (100, RFC 9110 section 15.2.1).
        case permitUpload
        case refuse
    }

    /// Processes an interim response (RFC 9110 section 15.2); only 100 has an effect, and 101 is an error because the
    /// client never requests it.
    mutating func receiveInformation(_ status: HTTPResponse.Status, now: NIODeadline) -> InformationAction {
        lastActivity = now
        interimCount += 1
        guard phase == .awaitingHead, interimCount <= Self.maximumInterimResponses, status != .switchingProtocols else {
            return .refuse
        }
        return status == .continue ? .permitUpload : .ignore
    }

    enum HeadAction: Hashable {
        /// The head is held. `refusesUpload` is `true` if the rest of the body is not sent.
        case hold(refusesUpload: Bool)
        /// No request is pending.
        case refuse
    }

    /// Processes the final response's head.
    mutating func receiveHead(_ status: HTTPResponse.Status, keepsAlive: Bool, now: NIODeadline) -> HeadAction {
        lastActivity = now
        guard phase == .awaitingHead else { return .refuse }
        phase = .arriving(size: 0)
        (hasCapacity, self.keepsAlive) = (true, keepsAlive)
        // A server that has sent an error or a redirect does not need the rest of the body.
        if upload == .waiting, status.code >= 300 { upload = .unwanted }
        return .hold(refusesUpload: upload == .unwanted)
    }

    enum BodyAction {
        case ignore
        case hold
        /// The response is delivered with the held bytes, and its body is still arriving.
        case holdAndDeliver
        case append
        /// No request is pending.
        case refuse
    }

    /// Processes a part of the body.
    mutating func receiveBody(_ size: Int, now: NIODeadline) -> BodyAction {
        lastActivity = now
        switch phase {
        case .arriving where size == 0, .receiving where size == 0: return .ignore
        case .arriving(let held):
            phase = .arriving(size: held + size)
            return held + size > Self.arrivalLimit ? .holdAndDeliver : .hold
        case .receiving: return .append
        case .idle, .awaitingHead, .closed: return .refuse
        }
    }

    /// Notes that the response is delivered while its body is still arriving.
    ///
    /// - Returns: Whether a body that still waits for a 100 (Continue) is sent now. A server that ignores the
    ///   expectation may need the body to complete a successful response; a server that has completed its response does
    ///   not (RFC 9110 section 10.1.1).
    mutating func deliver() -> Bool {
        phase = .receiving
        return upload == .waiting
    }

    /// Notes whether the body's reader accepts more bytes.
    mutating func noteCapacity(_ hasCapacity: Bool) { self.hasCapacity = hasCapacity }

    enum EndAction: Hashable {
        /// The exchange is complete. `isDelivered` is `true` if the reader already has the head.
        case finish(isDelivered: Bool, Next)
        /// No request is pending.
        case refuse

        /// The next state of the connection or the stream.
        enum Next: Hashable {
            case reuse
            /// The stream has already ended on both sides.
            case leave
            case close
        }
    }

    /// Processes the end of the response; `isAlone` is `false` if unrequested bytes follow.
    mutating func receiveEnd(isAlone: Bool, now: NIODeadline) -> EndAction {
        lastActivity = now
        let isDelivered: Bool
        switch phase {
        case .arriving: isDelivered = false
        case .receiving: isDelivered = true
        case .idle, .awaitingHead, .closed: return .refuse
        }
        hasCapacity = true
        // The server would take the unsent rest of an incomplete request for the next request.
        guard medium == .connection, keepsAlive, isAlone, upload == .complete else {
            phase = .closed
            return .finish(isDelivered: isDelivered, medium == .stream && upload == .complete ? .leave : .close)
        }
        phase = .idle
        return .finish(isDelivered: isDelivered, .reuse)
    }

    // MARK: The reader

    /// Notes that the reader accepts more bytes.
    mutating func produceMore(now: NIODeadline) {
        if !hasCapacity { lastActivity = now }
        hasCapacity = true
    }

    /// Notes that the reader has dropped the body; the unread rest makes the connection or the stream unusable.
    ///
    /// - Returns: Whether this ends the exchange.
    mutating func abandon() -> Bool {
        guard phase == .receiving else { return false }
        phase = .closed
        return true
    }

    // MARK: Failures

    enum FailureAction {
        case ignore
        /// No exchange is running; the error is stored for the next one.
        case remember
        case failHead
        case failBody
    }

    /// Fails the exchange; a held response must be delivered before, so that its body fails.
    mutating func fail() -> FailureAction {
        defer { phase = .closed }
        return switch phase {
        case .idle: medium == .connection ? .remember : .ignore
        case .awaitingHead: .failHead
        case .receiving: .failBody
        case .arriving, .closed: .ignore
        }
    }

    /// Returns whether a limit ends the exchange: the response's limit only before the head,
    /// the limits of the attempt and of the request at any time.
    func isExpired(_ limit: ConnectionPhase) -> Bool {
        switch phase {
        case .awaitingHead: true
        case .arriving, .receiving: limit != .response
        case .idle, .closed: false
        }
    }

    enum Silence: Hashable {
        /// Nothing is expected from the peer.
        case none
        case expired(ConnectionPhase)
        case checkAgain(NIODeadline)
    }

    /// Returns whether the peer has been silent for too long; between two exchanges there is no limit.
    func silence(limit: TimeAmount, now: NIODeadline) -> Silence {
        let due = lastActivity + limit
        return switch phase {
        case .idle, .closed: .none
        case .awaitingHead where due <= now: .expired(upload == .complete ? .response : .request)
        // While the reader accepts no bytes, the peer is not silent.
        case .receiving where !hasCapacity: .checkAgain(now + limit)
        case .receiving where due <= now: .expired(.body)
        default: .checkAgain(due)
        }
    }
}
