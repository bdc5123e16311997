import os
config.name = 'run'
config.test_source_root = os.path.dirname(__file__)
lit_config.load_config(config, os.path.join(os.path.dirname(__file__), '..', 'lit.common.py'))
# CAIRN_VERIFY=frames lit test/run: all programs check the walk at every collection (docs/testing.md).
if 'CAIRN_VERIFY' in os.environ:
    config.environment['CAIRN_VERIFY'] = os.environ['CAIRN_VERIFY']
