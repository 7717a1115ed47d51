// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

extension WellKnownSchemas {
    /// Web Services Base Notification 1.3, sections 3 to 6.
    ///
    /// Wildcards are lax, so that extension content needs no schema.
    static let baseNotification = """
        <xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:wsa="http://www.w3.org/2005/08/addressing"
            xmlns:wsnt="http://docs.oasis-open.org/wsn/b-2" xmlns:wstop="http://docs.oasis-open.org/wsn/t-1"
            xmlns:bf="http://docs.oasis-open.org/wsrf/bf-2" targetNamespace="http://docs.oasis-open.org/wsn/b-2"
            elementFormDefault="qualified">
          <xs:complexType name="QueryExpressionType" mixed="true">
            <xs:sequence>
              <xs:any processContents="lax" minOccurs="0"/>
            </xs:sequence>
            <xs:attribute name="Dialect" type="xs:anyURI" use="required"/>
          </xs:complexType>
          <xs:complexType name="TopicExpressionType" mixed="true">
            <xs:sequence>
              <xs:any processContents="lax" minOccurs="0"/>
            </xs:sequence>
            <xs:attribute name="Dialect" type="xs:anyURI" use="required"/>
            <xs:anyAttribute/>
          </xs:complexType>
          <xs:complexType name="FilterType"><xs:sequence>\(any("##any"))</xs:sequence></xs:complexType>
          <xs:complexType name="SubscriptionPolicyType"><xs:sequence>\(any("##any"))</xs:sequence></xs:complexType>
          <xs:simpleType name="AbsoluteOrRelativeTimeType">
            <xs:union memberTypes="xs:dateTime xs:duration"/>
          </xs:simpleType>
          <xs:complexType name="NotificationMessageHolderType">
            <xs:sequence>
              <xs:element ref="wsnt:SubscriptionReference" minOccurs="0"/>
              <xs:element ref="wsnt:Topic" minOccurs="0"/>
              <xs:element ref="wsnt:ProducerReference" minOccurs="0"/>
              <xs:element name="Message">
                <xs:complexType>
                  <xs:sequence>
                    <xs:any processContents="lax"/>
                  </xs:sequence>
                </xs:complexType>
              </xs:element>
            </xs:sequence>
          </xs:complexType>
          <xs:element name="TopicExpression" type="wsnt:TopicExpressionType"/>
          <xs:element name="TopicExpressionDialect" type="xs:anyURI"/>
          <xs:element name="ConsumerReference" type="wsa:EndpointReferenceType"/>
          <xs:element name="Filter" type="wsnt:FilterType"/>
          <xs:element name="SubscriptionPolicy" type="wsnt:SubscriptionPolicyType"/>
          <xs:element name="CreationTime" type="xs:dateTime"/>
          <xs:element name="SubscriptionReference" type="wsa:EndpointReferenceType"/>
          <xs:element name="Topic" type="wsnt:TopicExpressionType"/>
          <xs:element name="ProducerReference" type="wsa:EndpointReferenceType"/>
          <xs:element name="NotificationMessage" type="wsnt:NotificationMessageHolderType"/>
          <xs:element name="CurrentTime" type="xs:dateTime"/>
          <xs:element name="ProducerProperties" type="wsnt:QueryExpressionType"/>
          <xs:element name="MessageContent" type="wsnt:QueryExpressionType"/>
          <xs:element name="FixedTopicSet" type="xs:boolean" default="true"/>
          <xs:element name="TerminationTime" type="xs:dateTime" nillable="true"/>
          <xs:element name="UseRaw">
            <xs:complexType/>
          </xs:element>
          <xs:element name="NotificationProducerRP">
            <xs:complexType>
              <xs:sequence>
                <xs:element ref="wsnt:TopicExpression" minOccurs="0" maxOccurs="unbounded"/>
                <xs:element ref="wsnt:FixedTopicSet" minOccurs="0"/>
                <xs:element ref="wsnt:TopicExpressionDialect" minOccurs="0" maxOccurs="unbounded"/>
                <xs:element ref="wstop:TopicSet" minOccurs="0"/>
              </xs:sequence>
            </xs:complexType>
          </xs:element>
          <xs:element name="SubscriptionManagerRP">
            <xs:complexType>
              <xs:sequence>
                <xs:element ref="wsnt:ConsumerReference"/>
                <xs:element ref="wsnt:Filter" minOccurs="0"/>
                <xs:element ref="wsnt:SubscriptionPolicy" minOccurs="0"/>
                <xs:element ref="wsnt:CreationTime" minOccurs="0"/>
              </xs:sequence>
            </xs:complexType>
          </xs:element>
          \(notificationMessages.joined())
          \(notificationFaults.joined())
        </xs:schema>
        """

    /// The elements of requests and responses, each followed by any elements of other namespaces.
    private static let notificationMessages = [
        message("Notify", #"<xs:element ref="wsnt:NotificationMessage" maxOccurs="unbounded"/>"#),
        message(
            "Subscribe",
            """
            <xs:element name="ConsumerReference" type="wsa:EndpointReferenceType"/>
            <xs:element name="Filter" type="wsnt:FilterType" minOccurs="0"/>
            <xs:element name="InitialTerminationTime" type="wsnt:AbsoluteOrRelativeTimeType" nillable="true" minOccurs="0"/>
            <xs:element name="SubscriptionPolicy" type="wsnt:SubscriptionPolicyType" minOccurs="0"/>
            """),
        message(
            "SubscribeResponse",
            """
            <xs:element name="SubscriptionReference" type="wsa:EndpointReferenceType"/>
            <xs:element ref="wsnt:CurrentTime" minOccurs="0"/><xs:element ref="wsnt:TerminationTime" minOccurs="0"/>
            """),
        message("GetCurrentMessage", #"<xs:element name="Topic" type="wsnt:TopicExpressionType"/>"#),
        message("GetCurrentMessageResponse", others: "##any"),
        message(
            "GetMessages", #"<xs:element name="MaximumNumber" type="xs:nonNegativeInteger" minOccurs="0"/>"#,
            hasAttributes: true),
        message(
            "GetMessagesResponse", #"<xs:element ref="wsnt:NotificationMessage" minOccurs="0" maxOccurs="unbounded"/>"#,
            hasAttributes: true),
        message("DestroyPullPoint", hasAttributes: true), message("DestroyPullPointResponse", hasAttributes: true),
        message("CreatePullPoint", hasAttributes: true),
        message(
            "CreatePullPointResponse", #"<xs:element name="PullPoint" type="wsa:EndpointReferenceType"/>"#,
            hasAttributes: true),
        message(
            "Renew",
            #"<xs:element name="TerminationTime" type="wsnt:AbsoluteOrRelativeTimeType" nillable="true"/>"#),
        message(
            "RenewResponse",
            #"<xs:element ref="wsnt:TerminationTime"/><xs:element ref="wsnt:CurrentTime" minOccurs="0"/>"#),
        message("Unsubscribe"), message("UnsubscribeResponse"), message("PauseSubscription"),
        message("PauseSubscriptionResponse"), message("ResumeSubscription"), message("ResumeSubscriptionResponse"),
    ]

    private static func message(
        _ name: String, _ elements: String = "", others: String = "##other", hasAttributes: Bool = false
    ) -> String {
        """
        <xs:element name="\(name)"><xs:complexType><xs:sequence>\(elements)\(any(others))</xs:sequence>\
        \(hasAttributes ? "<xs:anyAttribute/>" : "")</xs:complexType></xs:element>
        """
    }

    private static let notificationFaults = notificationFaultNames.map { name in
        """
        <xs:element name="\(name)Fault" type="wsnt:\(name)FaultType"/>
        <xs:complexType name="\(name)FaultType">
          <xs:complexContent>
            <xs:extension base="bf:BaseFaultType">
              <xs:sequence>\(notificationFaultContents[name] ?? "")</xs:sequence>
            </xs:extension>
          </xs:complexContent>
        </xs:complexType>
        """
    }

    private static let notificationFaultNames = [
        "SubscribeCreationFailed", "TopicExpressionDialectUnknown", "InvalidTopicExpression", "TopicNotSupported",
        "MultipleTopicsSpecified", "InvalidProducerPropertiesExpression", "InvalidMessageContentExpression",
        "UnrecognizedPolicyRequest", "UnsupportedPolicyRequest", "NotifyMessageNotSupported",
        "UnacceptableInitialTerminationTime", "NoCurrentMessageOnTopic", "UnableToGetMessages",
        "UnableToDestroyPullPoint", "UnableToCreatePullPoint", "UnacceptableTerminationTime",
        "UnableToDestroySubscription", "PauseFailed", "ResumeFailed", "InvalidFilter",
    ]

    private static let notificationFaultContents = [
        "InvalidFilter": "<xs:element name='UnknownFilter' type='xs:QName' maxOccurs='unbounded'/>",
        "UnrecognizedPolicyRequest":
            "<xs:element name='UnrecognizedPolicy' type='xs:QName' minOccurs='0' maxOccurs='unbounded'/>",
        "UnsupportedPolicyRequest":
            "<xs:element name='UnsupportedPolicy' type='xs:QName' minOccurs='0' maxOccurs='unbounded'/>",
        "UnacceptableInitialTerminationTime": timeBounds, "UnacceptableTerminationTime": timeBounds,
    ]

    private static let timeBounds = """
        <xs:element name="MinimumTime" type="xs:dateTime"/><xs:element name="MaximumTime" type="xs:dateTime" minOccurs="0"/>
        """

    /// Web Services Topics 1.3 section 6.
    static let topics = """
        <xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:wstop="http://docs.oasis-open.org/wsn/t-1"
            targetNamespace="http://docs.oasis-open.org/wsn/t-1" elementFormDefault="qualified">
          <xs:element name="TopicSet" type="wstop:TopicSetType"/>
          <xs:complexType name="TopicSetType">
            <xs:sequence>
              <xs:element name="documentation" type="xs:anyType" minOccurs="0"/>
              \(any("##other"))
            </xs:sequence>
            <xs:anyAttribute namespace="##other" processContents="lax"/>
          </xs:complexType>
          <xs:attribute name="topic" type="xs:boolean" default="false"/>
        </xs:schema>
        """

    /// Web Services Base Faults 1.2 section 2.
    static let baseFaults = """
        <xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:wsa="http://www.w3.org/2005/08/addressing"
            xmlns:bf="http://docs.oasis-open.org/wsrf/bf-2" targetNamespace="http://docs.oasis-open.org/wsrf/bf-2"
            elementFormDefault="qualified">
          <xs:element name="BaseFault" type="bf:BaseFaultType"/>
          <xs:complexType name="BaseFaultType">
            <xs:sequence>
              \(any("##other"))
              <xs:element name="Timestamp" type="xs:dateTime"/>
              <xs:element name="Originator" type="wsa:EndpointReferenceType" minOccurs="0"/>
              <xs:element name="ErrorCode" type="xs:anyType" minOccurs="0"/>
              <xs:element name="Description" type="xs:string" minOccurs="0" maxOccurs="unbounded"/>
              <xs:element name="FaultCause" type="xs:anyType" minOccurs="0"/>
            </xs:sequence>
            <xs:anyAttribute namespace="##other" processContents="lax"/>
          </xs:complexType>
        </xs:schema>
        """
}
