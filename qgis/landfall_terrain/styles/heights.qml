<!DOCTYPE qgis PUBLIC 'http://mrcc.com/qgis.dtd' 'SYSTEM'>
<qgis version="3.22" labelsEnabled="1">
  <renderer-v2 type="categorizedSymbol" attr="reason = 'answered'">
    <categories>
      <category value="1" symbol="0" label="height of the ground" render="true"/>
      <category value="0" symbol="1" label="no ground" render="true"/>
    </categories>
    <symbols>
      <symbol name="0" type="marker" alpha="1">
        <layer class="SimpleMarker" enabled="1" pass="0">
          <Option type="Map">
            <Option name="name" value="circle" type="QString"/>
            <Option name="color" value="150,120,70,255" type="QString"/>
            <Option name="outline_color" value="40,40,40,255" type="QString"/>
            <Option name="outline_width" value="0.1" type="QString"/>
            <Option name="size" value="2" type="QString"/>
            <Option name="size_unit" value="MM" type="QString"/>
          </Option>
        </layer>
      </symbol>
      <symbol name="1" type="marker" alpha="1">
        <layer class="SimpleMarker" enabled="1" pass="0">
          <Option type="Map">
            <Option name="name" value="circle" type="QString"/>
            <Option name="color" value="255,255,255,255" type="QString"/>
            <Option name="outline_color" value="40,40,40,255" type="QString"/>
            <Option name="outline_width" value="0.1" type="QString"/>
            <Option name="size" value="2" type="QString"/>
            <Option name="size_unit" value="MM" type="QString"/>
          </Option>
        </layer>
      </symbol>
    </symbols>
  </renderer-v2>
  <labeling type="simple">
    <settings>
      <text-style fieldName="format_number(ground, 1)" isExpression="1" fontSize="8" fontSizeUnit="Point" textColor="0,0,0,255">
        <text-buffer bufferDraw="1" bufferSize="0.8" bufferSizeUnits="MM" bufferColor="255,255,255,255"/>
      </text-style>
      <placement placement="6" dist="1" distUnits="MM"/>
    </settings>
  </labeling>
  <layerGeometryType>0</layerGeometryType>
</qgis>
