"""lit's format of shell tests, which appends the processor time of each test to a file (lit.common.py)."""
import os
import resource
import time
import lit.formats


class TimedTest(lit.formats.ShTest):
    def __init__(self, path):
        super().__init__(True)
        self.path = path

    def execute(self, test, lit_config):
        def used():
            usage = resource.getrusage(resource.RUSAGE_CHILDREN)
            return usage.ru_utime + usage.ru_stime
        processor, begin = used(), time.monotonic()
        result = super().execute(test, lit_config)
        line = f'{used() - processor:.2f} {time.monotonic() - begin:.2f} {test.getFullName()}\n'
        with open(self.path, 'a') as file:
            file.write(line)
        return result
