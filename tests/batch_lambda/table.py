"""What the recorder knows of DynamoDB: UpdateItem with conditions, alone and in
transactions, and GetItem."""
import re

CONDITION = re.compile(r"attribute_not_exists\((\w+)\)\Z|(\w+) = (:\w+)\Z")
CLAUSE = re.compile(r"\b(SET|ADD) ")


class Refused(Exception):
    def __init__(self, code, message, **more):
        super().__init__(message)
        self.code, self.more = code, more


def _holds(item, condition, values):
    for part in condition.split(" AND ") if condition else []:
        match = CONDITION.match(part)
        if not match:
            raise Refused("ValidationException", f"condition {part!r}")
        absent, name, value = match.groups()
        if absent:
            if absent in item:
                return False
        elif item.get(name) != values[value]:
            return False
    return True


def _updated(item, expression, values):
    item = dict(item)
    parts = CLAUSE.split(expression.strip())
    for clause, text in zip(parts[1::2], parts[2::2]):
        for assignment in text.split(","):
            if clause == "SET":
                name, value = re.fullmatch(r"\s*(\w+) = (:\w+)\s*", assignment).groups()
                item[name] = values[value]
            else:
                name, value = re.fullmatch(r"\s*(\w+) (:\w+)\s*", assignment).groups()
                number = int(item.get(name, {"N": "0"})["N"]) + int(values[value]["N"])
                item[name] = {"N": str(number)}
    return item


class Table:
    def __init__(self):
        self.items = {}

    def _prepare(self, update):
        key = update["Key"]["itemKey"]["S"]
        condition = update.get("ConditionExpression", "")
        values = update.get("ExpressionAttributeValues", {})
        used = set(re.findall(r":\w+", update["UpdateExpression"] + " " + condition))
        if used != set(values):
            raise Refused("ValidationException", f"values {sorted(used ^ set(values))} in {update}")
        old = self.items.get(key, {})
        if not _holds(old, condition, values):
            return key, None
        return key, _updated(old, update["UpdateExpression"], values) | {"itemKey": {"S": key}}

    def GetItem(self, body):
        item = self.items.get(body["Key"]["itemKey"]["S"])
        return {"Item": item} if item is not None else {}

    def UpdateItem(self, body):
        key, item = self._prepare(body)
        if item is None:
            raise Refused("ConditionalCheckFailedException", "The conditional request failed")
        self.items[key] = item
        return {}

    def TransactWriteItems(self, body):
        prepared = [self._prepare(write["Update"]) for write in body["TransactItems"]]
        if any(item is None for _, item in prepared):
            reasons = [{"Code": "None" if item is not None else "ConditionalCheckFailed"}
                       for _, item in prepared]
            raise Refused("TransactionCanceledException", "Transaction cancelled",
                          CancellationReasons=reasons)
        if len({key for key, _ in prepared}) != len(prepared):
            raise Refused("ValidationException", "one item twice in a transaction")
        self.items.update(prepared)
        return {}
