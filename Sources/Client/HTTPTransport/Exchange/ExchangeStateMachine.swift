// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import HTTPTypes
import NIOCore

/// Decides how an exchange goes on: what becomes of what arrives, whether a part of the request is still wanted, and when a
/// silent peer is given up.
struct ExchangeStateMachine {
    /// What an exchange takes place on.
    enum Medium {
        /// A connection of HTTP/1, which can carry another exchange afterwards.
        case connection
        /// A stream of HTTP/2, which ends with the exchange.
        case stream
    }

    enum Phase: Hashable {
        case idle
        case awaitingHead
        /// The head has come, and is held for a moment because most bodies arrive with it and are delivered together.
        case arriving(size: Int)
        case receiving
        case closed
    }

    /// How far the request's body has come.
    enum Upload {
        /// It has left.
        case complete
        /// Parts of it are still to come.
        case waiting
        /// Nothing more of it comes, and a part of it has not left: a window of the server's may hold it back.
        case leaving
        case unwanted
    }

    /// How many interim responses may come before the final one; each keeps the connection from being called silent.
    static let interimLimit = 64

    /// How much of a body is held until what arrived together is known, in bytes.
    static let arrivalLimit = 64 * 1024

    let medium: Medium
    private(set) var phase = Phase.idle
    private(set) var upload = Upload.complete
    /// Whether the reader of the body has room.
    private(set) var hasRoom = true
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
    /// - Returns: Whether the exchange can start here.
    mutating func start(hasBodyToFollow: Bool, now: NIODeadline) -> Bool {
        guard phase == .idle else { return false }
        phase = .awaitingHead
        upload = hasBodyToFollow ? .waiting : .leaving
        (hasRoom, keepsAlive, interimCount, lastActivity) = (true, false, 0, now)
        return true
    }

    /// Asks whether a part of the body may be sent.
    mutating func sendPart(now: NIODeadline) -> Bool {
        guard upload == .waiting, phase != .closed else { return false }
        lastActivity = now
        return true
    }

    /// Asks whether the end of the body may be sent.
    mutating func sendEnd() -> Bool {
        guard upload == .waiting, phase != .closed else { return false }
        upload = .leaving
        return true
    }

    /// Nothing of the request is held back any more.
    mutating func completeUpload() { upload = .complete }

    /// A part of the request has left: a peer that takes what is sent is not silent.
    ///
    /// - Returns: Whether the response is awaited from now on.
    mutating func noteDeparture(isLast: Bool, now: NIODeadline) -> Bool {
        lastActivity = now
        guard isLast else { return false }
        upload = .complete
        return phase == .awaitingHead
    }

    // MARK: The response

    enum InformationAction {
        case ignore
        /// The server asks for the body (RFC 9110 section 15.2.1).
        case permitUpload
        case refuse
    }

    /// An interim response has come (RFC 9110 section 15.2); only 100 has a meaning here, and the client never asks for 101.
    mutating func receiveInformation(_ status: HTTPResponse.Status, now: NIODeadline) -> InformationAction {
        lastActivity = now
        interimCount += 1
        guard phase == .awaitingHead, interimCount <= Self.interimLimit, status != .switchingProtocols else {
            return .refuse
        }
        return status == .continue ? .permitUpload : .ignore
    }

    enum HeadAction: Hashable {
        /// `refusesUpload` where the rest of the body is not wanted.
        case hold(refusesUpload: Bool)
        /// No request asked for it.
        case refuse
    }

    /// The final response's head has come.
    mutating func receiveHead(_ status: HTTPResponse.Status, keepsAlive: Bool, now: NIODeadline) -> HeadAction {
        lastActivity = now
        guard phase == .awaitingHead else { return .refuse }
        phase = .arriving(size: 0)
        (hasRoom, self.keepsAlive) = (true, keepsAlive)
        // A server that has answered, and not with success, does not want the rest of the body.
        if upload == .waiting, status.code >= 300 { upload = .unwanted }
        return .hold(refusesUpload: upload == .unwanted)
    }

    enum BodyAction {
        case ignore
        case hold
        /// The response is delivered with what is held, and the body goes on arriving.
        case holdAndDeliver
        case append
        /// No request asked for it.
        case refuse
    }

    /// A part of the body has come.
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

    /// The response is delivered, and its body goes on arriving.
    ///
    /// - Returns: Whether a body that still waits for a 100 (Continue) is sent now. A server that ignores the expectation may need it to
    ///   complete a response of success; a server that has completed its response does not (RFC 9110 section 10.1.1).
    mutating func deliver() -> Bool {
        phase = .receiving
        return upload == .waiting
    }

    /// Says whether the body has room for more.
    mutating func noteRoom(_ hasRoom: Bool) { self.hasRoom = hasRoom }

    enum EndAction: Hashable {
        /// `isDelivered` where the reader has the head already.
        case finish(isDelivered: Bool, Next)
        /// No request asked for it.
        case refuse

        /// What becomes of the connection or the stream.
        enum Next: Hashable {
            case reuse
            /// It has ended by itself.
            case leave
            case close
        }
    }

    /// The response is complete; it `isAlone` where nothing follows that no request asked for.
    mutating func receiveEnd(isAlone: Bool, now: NIODeadline) -> EndAction {
        lastActivity = now
        let isDelivered: Bool
        switch phase {
        case .arriving: isDelivered = false
        case .receiving: isDelivered = true
        case .idle, .awaitingHead, .closed: return .refuse
        }
        hasRoom = true
        // What is left of a request that was not sent completely would be taken for the next one.
        guard medium == .connection, keepsAlive, isAlone, upload == .complete else {
            phase = .closed
            return .finish(isDelivered: isDelivered, medium == .stream && upload == .complete ? .leave : .close)
        }
        phase = .idle
        return .finish(isDelivered: isDelivered, .reuse)
    }

    // MARK: The reader

    /// The reader has room again.
    mutating func produceMore(now: NIODeadline) {
        if !hasRoom { lastActivity = now }
        hasRoom = true
    }

    /// The reader has gone, and what was left unread makes the connection or the stream useless.
    ///
    /// - Returns: Whether the exchange ends with it.
    mutating func abandon() -> Bool {
        guard phase == .receiving else { return false }
        phase = .closed
        return true
    }

    // MARK: Failures

    enum FailureAction {
        case ignore
        /// No exchange is there to fail, and the next one learns of it.
        case remember
        case failHead
        case failBody
    }

    /// The exchange fails; a response that is held has to be delivered before, and its body fails.
    mutating func fail() -> FailureAction {
        defer { phase = .closed }
        return switch phase {
        case .idle: medium == .connection ? .remember : .ignore
        case .awaitingHead: .failHead
        case .receiving: .failBody
        case .arriving, .closed: .ignore
        }
    }

    /// Whether a limit ends the exchange: the response's where no head has come, the total one at any time.
    func isExpired(_ limit: ConnectionPhase) -> Bool {
        switch (limit, phase) {
        case (.total, .awaitingHead), (.total, .arriving), (.total, .receiving), (.response, .awaitingHead): true
        default: false
        }
    }

    enum Silence: Hashable {
        /// Nothing is awaited of the peer.
        case none
        case expired(ConnectionPhase)
        case lookAgain(NIODeadline)
    }

    /// Says whether the peer is silent for too long; between two requests it may be as silent as it likes.
    func silence(limit: TimeAmount, now: NIODeadline) -> Silence {
        let due = lastActivity + limit
        return switch phase {
        case .idle, .closed: .none
        case .awaitingHead where due <= now: .expired(upload == .complete ? .response : .request)
        // A reader that takes its time is no silence of the peer's.
        case .receiving where !hasRoom: .lookAgain(now + limit)
        case .receiving where due <= now: .expired(.body)
        default: .lookAgain(due)
        }
    }
}
